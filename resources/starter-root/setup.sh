#!/usr/bin/env bash
#
# Creates and runs the agents of the root that contains this script. Works with bash 3.2 (macOS) and later.
#
# An agent appears whole or not at all: it is built in a hidden directory next to the others and
# renamed into place at the end, so that nobody ever sees, or is left with, half of one.

set -eu

# An agent runs in the caller's directory and locale.
caller_directory=$PWD
caller_locale=${LC_ALL-}
has_caller_locale=${LC_ALL+yes}

# Ranges such as [a-z] mean ASCII only in the C locale, and error texts stay in one language.
export LC_ALL=C

# Linked into every new agent, as far as they exist in shared/extensions.
DEFAULT_EXTENSIONS=(agent-prompt.ts bash-guardrails dot-mi-status.ts run-finish-notify.ts startup-branding.ts)

# The directory an agent is being built in; empty when there is none.
stage=

usage() {
  cat <<'EOF'
Usage: setup.sh <command>

  create-agent [--workspace] <name>   create agents/<name>
  run [--force] <name> [pi arguments...]
                                      run an agent with the arguments in its pi-args;
                                      with --force also one that has used its budget in dot-mi
  list                                list the agents
  --help                              show this help

A name starts with a letter or digit and has up to 64 letters, digits, ".", "_" or "-".
With --workspace the agent works in a new dated directory on every run, below
workspaces/<name>. Its workspace.conf lists the directories to create there.
EOF
}

# fail <exit status> <one sentence>: 2 is a mistake in the call, 1 is everything else.
fail() {
  printf 'setup.sh: %s\n' "$2" >&2
  exit "$1"
}

# Quotes a user's text so that it stays on one line and cannot steer the terminal.
shown() { printf '%q' "${1:0:80}"; }

# A dangling link is not there for -e, but it does take the name.
is_taken() { [ -e "$1" ] || [ -L "$1" ]; }

# The rule of the desktop app (src/shared/api/names.ts), checked again for calls by hand.
is_agent_name() {
  local pattern='^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'
  [[ $1 =~ $pattern && $1 != *..* && $1 != *. ]] || return 1
  # Windows reserves device names in any case and with any extension ("NUL.txt").
  case $(printf '%s' "${1%%.*}" | tr '[:upper:]' '[:lower:]') in
    con | prn | aux | nul | com[0-9] | lpt[0-9]) return 1 ;;
  esac
}

extension_stub() {
  cat <<EOF
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** What only the agent $1 can do: its own tools, commands and hooks. */
export default function (pi: ExtensionAPI): void {
  // pi.registerTool({ … }), pi.registerCommand('…', { … }), pi.on('tool_call', …)
}
EOF
}

pi_args() {
  cat <<'EOF'
# Flags for every run of this agent. One token a line, a flag and its value on two lines,
# no quotes; a line that starts with # is skipped. For example:
#--thinking
#low
EOF
}

workspace_conf() {
  cat <<'EOF'
# Directories made in each new workspace, one a line, relative to it. For example:
#notes
#output
EOF
}

system_prompt() {
  cat <<EOF
You are $1, an agent that works in the user's terminal.

# Task

Say here, in two or three sentences, what $1 is for and what a good result looks like.

# How you work

- Look before you act: read the files a request is about, and say so when they contradict it.
- Do what was asked and no more. When a request can mean two things that lead to different results, ask; when it cannot, start.
- Prefer the smallest change that solves the problem, in the style of what is already there.
- Check the result with a command or by reading it again before you call it done.
- Never delete, overwrite or publish what you cannot bring back without asking first.

# How you answer

Start with the result. Name files with their path and line. Say plainly what you did not do, could not check, or are unsure of.
EOF
}

# write_agent <directory> <name> <yes when it has a workspace>
# Called in a condition, where "set -e" has no effect: each step says "|| return" itself.
write_agent() {
  local dir=$1 name=$2 extension
  mkdir "$dir" "$dir/extensions" "$dir/skills" "$dir/sessions" || return
  for extension in "${DEFAULT_EXTENSIONS[@]}"; do
    [ -e "shared/extensions/$extension" ] || continue
    ln -s "../../../shared/extensions/$extension" "$dir/extensions/$extension" || return
  done
  # An agent may be called like a shared extension; then that link has the name already.
  if ! is_taken "$dir/extensions/$name"; then
    mkdir "$dir/extensions/$name" || return
    extension_stub "$name" >"$dir/extensions/$name/index.ts" || return
  fi
  pi_args >"$dir/pi-args" || return
  system_prompt "$name" >"$dir/SYSTEM.md" || return
  printf '{\n  "quietStartup": true\n}\n' >"$dir/settings.json" || return
  [ "$3" != yes ] || workspace_conf >"$dir/workspace.conf"
}

remove_stage() {
  # A second Ctrl-C must not stop the cleaning half-way.
  trap '' HUP INT TERM
  [ -z "$stage" ] || rm -rf -- "$stage"
}

create_agent() {
  local workspace=no name problem
  if [ "${1-}" = --workspace ]; then
    workspace=yes
    shift
  fi
  case ${1-} in -*) fail 2 "unknown option $(shown "$1"); see setup.sh --help" ;; esac
  [ $# -eq 1 ] || fail 2 'create-agent needs exactly one name; see setup.sh --help'
  name=$1
  is_agent_name "$name" ||
    fail 2 "$(shown "$name") is not an agent name: start with a letter or digit, then use up to 63 letters, digits, \".\", \"_\" or \"-\"; no \"..\", no \".\" at the end, no Windows device name"
  problem=$(mkdir -p agents 2>&1) || fail 1 "cannot create agents/: ${problem##*: }"
  ! is_taken "agents/$name" || fail 1 "agents/$name already exists"

  # Left by a run that was killed too hard to clean up after itself, more than a day ago.
  find agents/ -maxdepth 1 -type d -name '.new-*' -mtime +0 -exec rm -rf -- {} + 2>/dev/null || :

  trap remove_stage EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  # Named before it is made (mktemp would do it the other way round), so that there is no moment
  # in which a signal finds a directory that the trap does not know of.
  stage=agents/.new-$name.$$-$RANDOM$RANDOM
  problem=$(mkdir "$stage" 2>&1) || {
    stage= # not made by us: nothing to clean
    fail 1 "cannot write in agents/: ${problem##*: }"
  }
  problem=$(write_agent "$stage/$name" "$name" "$workspace" 2>&1) ||
    fail 1 "cannot write agents/$name: ${problem##*: }"

  # From here on the run can only succeed or fail by itself: a signal that came after the rename
  # would report a failure and leave an agent.
  trap '' HUP INT TERM PIPE
  # "mv dir agents/" is rename(dir, agents/<name>), which no file, link or directory with something
  # in it lets happen. So of several runs with one name exactly one wins, without a lock. ("mv dir
  # agents/<name>" would move into an agent that appeared meanwhile.)
  problem=$(mv -- "$stage/$name" agents/ 2>&1) || {
    ! is_taken "agents/$name" || fail 1 "agents/$name already exists"
    fail 1 "cannot put agents/$name in place: ${problem##*: }"
  }
  # The agent is there, whether or not anyone still reads this.
  printf 'Created agents/%s. Run it: %q run %s\n' "$name" "$PWD/${script##*/}" "$name" 2>/dev/null || :
}

# warn <one sentence>
warn() { printf 'setup.sh: %s\n' "$1" >&2; }

# Whether a path of workspace.conf is inside the workspace.
is_inside_workspace() {
  case $1 in
    [A-Za-z]:* | [/\\]*) return 1 ;;
  esac
  case /${1//\\//}/ in
    */../*) return 1 ;;
  esac
}

# each_line <file> <function>: calls the function with each line that is neither empty nor a comment.
each_line() {
  local line number=0
  # The last line may lack its end.
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    [ $number -ne 1 ] || line=${line#$'\xef\xbb\xbf'}
    line=${line%$'\r'}
    case $line in '' | '#'*) continue ;; esac
    "$2" "$line" "$number"
  done <"$1"
}

# The arguments in pi-args, and the directories in workspace.conf.
agent_args=()
workspace_directories=()

add_args() {
  local word
  # Quotes mean nothing and patterns stay as they are, as in the desktop app (src/shared/run-command.ts).
  set -f
  for word in $1; do agent_args+=("$word"); done
  set +f
}

add_directory() {
  local path=$1
  path=${path#"${path%%[![:blank:]]*}"}
  path=${path%"${path##*[![:blank:]]}"}
  case $path in
    '' | '#'*) ;;
    *)
      if is_inside_workspace "$path"; then
        workspace_directories+=("$path")
      else
        warn "line $2 of workspace.conf is ignored: write a path inside the workspace, without \"..\""
      fi
      ;;
  esac
}

# is_given <file>: whether a file of the agent exists. A broken link could hide a restriction.
is_given() {
  [ ! -L "$1" ] || [ -e "$1" ] || fail 1 "$1 is a link whose target doesn't exist; repair or remove it"
  [ -e "$1" ] || return 1
  if [ ! -f "$1" ] || [ ! -r "$1" ]; then
    fail 1 "$1 can't be read; make it a text file that you may read"
  fi
}

# Creates a new workspace, and changes into it.
enter_workspace() {
  local path
  mkdir -p "workspaces/$1"
  path=workspaces/$1/$(date +%Y-%m-%d_%H-%M-%S)
  while [ -e "$path" ]; do path=$path-2; done
  # Without -p, so that a directory of another run is never used.
  mkdir "$path"
  # Without the "./", cd would search CDPATH.
  cd "./$path"
  [ -z "${workspace_directories[*]-}" ] || mkdir -p -- "${workspace_directories[@]}"
}

# Prints the SHA-256 of standard input, in hex.
sha256() {
  local digest
  if command -v sha256sum >/dev/null; then digest=$(sha256sum); else digest=$(shasum -a 256); fi
  digest=${digest#\\} # Git's bash on Windows
  printf %s "${digest:0:64}"
}

# hmac <64 hex digits> <message>: prints the HMAC-SHA-256 with the digits as the key, which is one block long.
# Only builtins get the key as an argument, because other users can read those of programs.
hmac() {
  local inner='' outer='' at code digest
  for ((at = 0; at < 64; at++)); do
    printf -v code %d "'${1:at:1}"
    printf -v inner '%s\\x%02x' "$inner" $((code ^ 0x36))
    printf -v outer '%s\\x%02x' "$outer" $((code ^ 0x5c))
  done
  # shellcheck disable=SC2059 # the bytes are escapes of the format
  digest=$(printf "$inner%s" "$2" | sha256)
  for ((at = 0; at < 64; at += 2)); do outer="$outer\\x${digest:at:2}"; done
  # shellcheck disable=SC2059
  printf "$outer" | sha256
}

# is_dot_mi <url>: whether the program there proves that it knows DOT_MI_KEY. Any program can listen at a port of this
# machine while dot-mi doesn't. Elsewhere only https proves who answers.
is_dot_mi() {
  local nonce proof host
  host=$(printf %s "${1#*://}" | tr '[:upper:]' '[:lower:]')
  case $1 in
    [Hh][Tt][Tt][Pp][Ss]://*) return 0 ;;
  esac
  # curl takes 0, 0x7f000001, 2130706433 and what follows an @ for addresses as well.
  case $host in
    127.* | localhost* | *.localhost* | 0* | \[* | *@*) ;;
    *) case ${host%%[:/]*} in *[!0-9]*) return 0 ;; esac ;;
  esac
  nonce=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  proof=$(hmac "$(printf %s "$DOT_MI_KEY" | sha256)" "dot-mi server"$'\n'"$nonce"$'\n'"$1")
  [ ${#nonce} -eq 32 ] && [ ${#proof} -eq 64 ] || return 1
  case $(curl --silent --max-time 3 --noproxy '*' --get --data-urlencode "nonce=$nonce" \
    --data-urlencode "origin=$1" "$1/api/health") in
    *"\"$proof\""*) ;;
    *) return 1 ;;
  esac
}

# ask_budget <name>: prints dot-mi's answer about the agent's budget, then a line with its status.
ask_budget() {
  local header='' url=${DOT_MI_URL:-http://127.0.0.1:8000}
  url=${url%/}
  case $url in *://*) ;; *) url=http://$url ;; esac
  if [ -n "${DOT_MI_KEY-}" ] && ! is_dot_mi "$url"; then
    printf '\nunproven'
    return
  fi
  # Not as an argument, where other users could read it.
  [ -z "${DOT_MI_KEY-}" ] || header="header = \"Authorization: Bearer ${DOT_MI_KEY//[!A-Za-z0-9_-]/}\""
  # Another root can have an agent of this name. Git's bash on Windows knows the real path by -W.
  printf '%s\n' "$header" | curl --silent --max-time 3 --noproxy '*' --config - --get \
    --data-urlencode "directory=$(pwd -W 2>/dev/null || pwd -P)/agents/$1" --write-out '\n%{http_code}' \
    "$url/api/agents/$1/budget"
}

# The unit, period, limit and use of the first limit that is reached.
REACHED='"unit":"([a-z]+)","period":"([a-z]+)","limit":([0-9.e+]+),"used":([0-9.e+-]+),[^}]*"exceeded":true'

# Refuses an agent that has used its budget in dot-mi. dot-mi keeps no budgets in the root.
check_budget() {
  local name=$1 answer='' tries=0 reason format='%.2f of %.2f USD' when='today'
  while :; do
    answer=$(ask_budget "$name") || answer=
    # dot-mi is still reading session files.
    case $answer in *'"reading":true'*) ;; *) break ;; esac
    tries=$((tries + 1))
    [ $tries -lt 20 ] || break
    sleep 0.5
  done
  if [[ $answer =~ $REACHED ]]; then
    [ "${BASH_REMATCH[1]}" = usd ] || format='%.0f of %.0f sats'
    [ "${BASH_REMATCH[2]}" = day ] || when='this month'
    # shellcheck disable=SC2059 # one of the two formats above
    fail 1 "$name has used its budget: $(printf "$format" "${BASH_REMATCH[4]}" "${BASH_REMATCH[3]}") $when; raise it in dot-mi, or run the agent anyway with: run --force $name"
  fi
  case ${answer##*$'\n'} in
    unproven) reason='the program at this address does not know DOT_MI_KEY, so the key was not sent' ;;
    200)
      case $answer in
        *'"limits":[]'*) ;;
        *'"notCounted":true'*)
          warn "dot-mi does not count all sessions of $name, so its budget may not stop it; add the sessionDir of its settings.json in dot-mi, in Settings"
          ;;
      esac
      return
      ;;
    # dot-mi isn't running, or manages another root.
    '' | 000 | 404 | 409) reason='dot-mi is not running for this root' ;;
    401 | 403)
      # dot-mi is there, and the agent may have used its budget.
      reason='dot-mi needs a key that can read agents, and DOT_MI_KEY holds none'
      [ -n "${DOT_MI_KEY-}" ] || reason='dot-mi needs a key, and DOT_MI_KEY is not set'
      fail 1 "the budget of $name is not known, because $reason; create a key for the agent in dot-mi, in Settings, and set DOT_MI_KEY, or run the agent anyway with: run --force $name"
      ;;
    *) reason="dot-mi returned ${answer##*$'\n'}" ;;
  esac
  # Whoever links the guard wants no run without a limit.
  if is_taken "agents/$name/extensions/budget-guard.ts"; then
    fail 1 "the budget of $name is not known, because $reason; run the agent anyway with: run --force $name"
  fi
}

run_agent() {
  local force=no
  if [ "${1-}" = --force ]; then
    force=yes
    shift
  fi
  [ $# -ge 1 ] || fail 2 'run needs the name of an agent; see setup.sh --help'
  local name=$1 dir path
  shift
  dir=agents/$name
  if ! is_agent_name "$name" || [ ! -d "$dir" ] || [ -L "$dir" ]; then
    fail 1 "there is no agent $(shown "$name"); \"setup.sh list\" lists the agents"
  fi
  command -v pi >/dev/null ||
    fail 127 'pi is not on your PATH; install it: npm install -g --ignore-scripts @earendil-works/pi-coding-agent'
  # budget-guard.ts reads it.
  if [ "$force" = yes ]; then export DOT_MI_FORCE=yes; else check_budget "$name"; fi
  if is_given "$dir/pi-args"; then
    each_line "$dir/pi-args" add_args
  else
    warn 'pi-args is missing, so pi starts with all its tools'
  fi
  export PI_CODING_AGENT_DIR="$PWD/$dir"
  # pi inherits the key. dot-mi keeps no copy of it, so only the caller can set it.
  [ -z "${DOT_MI_KEY-}" ] || export DOT_MI_KEY DOT_MI_URL="${DOT_MI_URL:-http://127.0.0.1:8000}"
  if is_given "$dir/workspace.conf"; then
    each_line "$dir/workspace.conf" add_directory
    for path in ${workspace_directories[@]+"${workspace_directories[@]}"}; do
      [ "$path" = sessions ] || continue
      # First, so that pi-args can choose another directory.
      agent_args=(--session-dir sessions ${agent_args[@]+"${agent_args[@]}"})
      break
    done
    enter_workspace "$name"
  else
    cd -- "$caller_directory"
  fi
  if [ "$has_caller_locale" = yes ]; then LC_ALL=$caller_locale; else unset LC_ALL; fi
  exec pi ${agent_args[@]+"${agent_args[@]}"} "$@"
}

list_agents() {
  [ $# -eq 0 ] || fail 2 'list takes no arguments'
  local dir
  for dir in agents/*; do
    if [ -d "$dir" ] && [ ! -L "$dir" ] && is_agent_name "${dir#agents/}"; then
      if [ -e "$dir/workspace.conf" ]; then dir="$dir (workspace)"; fi
      printf '%s\n' "${dir#agents/}"
    fi
  done
}

# Every path above is relative to the root, so spaces, quotes, newlines or a leading dash in the
# root's own path meet no command but this one.
script=${BASH_SOURCE[0]}
case $script in /*) ;; *) script=./$script ;; esac
cd -- "${script%/*}/"
# A link to this script, in ~/bin say, would else make agents there.
[ -d agents ] || [ -d shared ] || fail 1 'no agents/ or shared/ next to setup.sh; run the setup.sh inside your root'

if [ "${1-}" = run ]; then
  shift
  run_agent "$@"
fi

# Nothing below asks a question, but mv would, where stdin is a terminal.
exec </dev/null

case ${1-} in
  create-agent)
    shift
    create_agent "$@"
    ;;
  list)
    shift
    list_agents "$@"
    ;;
  -h | --help | help) usage ;;
  '') fail 2 'no command given; see setup.sh --help' ;;
  *) fail 2 "unknown command $(shown "$1"); see setup.sh --help" ;;
esac
