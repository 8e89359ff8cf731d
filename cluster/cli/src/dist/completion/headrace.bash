# Completes headrace's commands and options in bash. Source this file from ~/.bashrc, or copy it to
# /etc/bash_completion.d. What there is to complete is asked of headrace itself, on the first tab.
_load_headrace_completion() {
  eval "$(headrace completion bash)" && _complete_headrace "$@"
}
complete -F _load_headrace_completion headrace
