# Completes headrace's commands and options in zsh. Source this file from ~/.zshrc, after compinit.
# What there is to complete is asked of headrace itself, on the first tab.
autoload -U +X bashcompinit && bashcompinit
_load_headrace_completion() {
  eval "$(headrace completion zsh)" && _complete_headrace "$@"
}
complete -F _load_headrace_completion headrace
