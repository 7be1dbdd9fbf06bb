// Completion for each shell: no program is started at a Tab; the table of commands is in the script, that of
// agents in use in a file.
import type { SHELLS } from './table.ts';

export type Shell = (typeof SHELLS)[number];

/**
 * Looks the words before the cursor up, without flags; after a flag, the flag's own choices first. Words that
 * the table does not know, such as the place of a command or the value of a flag, are left out from the end.
 * `@files`: the shell's own offer.
 */
const lookUp = String.raw`
_svc_words() {
  local key="" word last="" line found="" rest
  for word in "$@"; do
    last="$word"
    case "$word" in
      -*) ;;
      *) key="$key $word" ;;
    esac
  done
  key="${'${key# }'}"
  set --
  case "$last" in
    -*) rest="$key"
      while :; do
        set -- "$@" "$rest $last"
        case "$rest" in *" "*) rest="${'${rest% *}'}" ;; *) break ;; esac
      done ;;
  esac
  rest="$key"
  while :; do
    set -- "$@" "$rest"
    case "$rest" in *" "*) rest="${'${rest% *}'}" ;; *) break ;; esac
  done
  for word in "$@"; do
    while IFS= read -r line; do
      [ "${'${line%%|*}'}" = "$word" ] && found="$found ${'${line#*|}'}"
    done <<SVC_TABLE
$_svc_table
$(cat "$HOME/.svc/agents/completion" 2>/dev/null)
SVC_TABLE
    [ -n "$found" ] && break
  done
  [ "$found" = " @files" ] || printf '%s' "$found"
}`;

const scripts: Record<Shell, (table: string) => string> = {
  bash: (table) => String.raw`# svc for bash: eval "$(svc completion bash)"
_svc_table='${table}'
${lookUp}
_svc() {
  local cur="${'${COMP_WORDS[COMP_CWORD]}'}"
  COMPREPLY=($(compgen -W "$(_svc_words "${'${COMP_WORDS[@]:1:COMP_CWORD-1}'}")" -- "$cur"))
  [[ "${'${COMPREPLY[0]:-}'}" == *= ]] && compopt -o nospace
}
complete -o default -F _svc svc
`,
  zsh: (table) => String.raw`#compdef svc
# svc for zsh: eval "$(svc completion zsh)"
_svc_table='${table}'
${lookUp}
_svc() {
  local -a found
  found=(${'${=$(_svc_words "${(@)words[2,CURRENT-1]}")}'})
  if (( ${'$#found'} )); then compadd -- "${'${found[@]}'}"; else _files; fi
}
if (( $+functions[compdef] )); then compdef _svc svc; else autoload -Uz compinit && compinit && compdef _svc svc; fi
`,
  fish: (table) => String.raw`# svc for fish: svc completion fish | source
set -g _svc_table '${table}'
function _svc_words
  set -l words (commandline -opc)[2..-1]
  set -l last $words[-1]
  set -l key (string join ' ' (string match -v -- '-*' $words))
  set -l lines (string split \n -- $_svc_table) (cat ~/.svc/agents/completion 2>/dev/null)
  set -l keys
  set -l rest $key
  while true
    string match -q -- '-*' "$last"; and set -a keys "$rest $last"
    string match -q -- '* *' "$rest"; or break
    set rest (string replace -r ' [^ ]*$' '' -- $rest)
  end
  set rest "$key"
  while true
    set -a keys "$rest"
    string match -q -- '* *' "$rest"; or break
    set rest (string replace -r ' [^ ]*$' '' -- $rest)
  end
  for wanted in $keys
    set -l found
    for line in $lines
      set -l parts (string split -m 1 '|' -- $line)
      test "$parts[1]" = "$wanted"; and set -a found (string split ' ' -- $parts[2])
    end
    if test "$found" = @files
      __fish_complete_path (commandline -ct)
      return
    end
    if set -q found[1]
      printf '%s\n' $found
      return
    end
  end
end
complete -c svc -f -a '(_svc_words)'
`,
};

export function completionScript(shell: Shell, table: string): string {
  return scripts[shell](table);
}
