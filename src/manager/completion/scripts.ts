// The scripts that a shell loads to complete our command line. They call the program itself: `__complete` prints a line
// per candidate (with its help after a tab), and a last line with a directive for the shell.

export const shells = ["bash", "fish", "powershell", "zsh"] as const;
export type Shell = (typeof shells)[number];

/** How to load each script. */
export const loading: Readonly<Record<Shell, string>> = {
  bash: "source <(kube-controller-manager completion bash)",
  fish: "kube-controller-manager completion fish | source",
  powershell: "kube-controller-manager completion powershell | Out-String | Invoke-Expression",
  zsh: "source <(kube-controller-manager completion zsh)",
};

/** request: __complete, or __completeNoDesc for candidates without help. */
export function completionScript(shell: Shell, request: string): string {
  return scripts[shell].replaceAll("REQUEST", request);
}

// ":4" ends an answer after which file names make no sense; ":0" leaves them to the shell.
const scripts: Readonly<Record<Shell, string>> = {
  // Bash also splits words at "=" and ":", so the line is split again.
  bash: `# bash completion for kube-controller-manager
_kube_controller_manager() {
  local line=\${COMP_LINE:0:COMP_POINT} answer candidate name help cut
  local -a words candidates
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  answer=$("\${words[0]}" REQUEST "\${words[@]:1}" 2>/dev/null) || return
  [[ $answer == *:4 ]] && compopt +o default 2>/dev/null
  while IFS= read -r candidate; do
    [[ $candidate == :* || -z $candidate ]] || candidates+=("$candidate")
  done <<<"$answer"
  for candidate in "\${candidates[@]}"; do
    name=\${candidate%%$'\\t'*}
    help=\${candidate#"$name"}
    if [[ \${#candidates[@]} -gt 1 && -n $help ]]; then
      printf -v name '%s  (%s)' "$name" "\${help#$'\\t'}"
      cut=\${COLUMNS:-80}
      [[ \${#name} -ge $cut ]] && name="\${name:0:cut-3})"
    fi
    COMPREPLY+=("$name")
  done
}
complete -o default -F _kube_controller_manager kube-controller-manager
`,
  zsh: `#compdef kube-controller-manager
# zsh completion for kube-controller-manager
_kube_controller_manager() {
  local answer line
  local -a candidates
  answer=$("\${words[1]}" REQUEST "\${(@Q)words[2,CURRENT]}" 2>/dev/null) || return
  for line in "\${(f)answer}"; do
    [[ $line == :* ]] || candidates+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  if (( \${#candidates} )); then
    _describe 'flag' candidates
  elif [[ $answer != *:4 ]]; then
    _files
  fi
}
compdef _kube_controller_manager kube-controller-manager
`,
  fish: `# fish completion for kube-controller-manager
function __kube_controller_manager_candidates
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l answer ($words[1] REQUEST $words[2..-1] $word 2>/dev/null)
  set -l candidates (string match -v -r '^:' -- $answer)
  if set -q candidates[1]
    printf '%s\\n' $candidates
  else if test "$answer[-1]" != ':4'
    set -l flag (string match -r '^-[^=]*=' -- $word)
    for path in (__fish_complete_path (string replace -r '^-[^=]*=' '' -- $word))
      printf '%s%s\\n' "$flag" $path
    end
  end
end
complete -c kube-controller-manager -f -a '(__kube_controller_manager_candidates)'
`,
  powershell: `# PowerShell completion for kube-controller-manager
Register-ArgumentCompleter -Native -CommandName 'kube-controller-manager' -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  $rest = @($words | Select-Object -Skip 1) + $(if ($word) { $word } else { '""' })
  & $words[0] REQUEST @rest 2>$null | Where-Object { $_ -notmatch '^:' } | ForEach-Object {
    $name, $help = $_ -split "\`t", 2
    if (-not $help) { $help = $name }
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterName', $help)
  }
}
`,
};
