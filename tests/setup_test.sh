#!/bin/sh
# tools/setup on a fake system: the installed packages, the user and the commands are ours, and apt-get writes
# down how it was called.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
result=0

# fake NAME SCRIPT: a command of the fake system. The real commands that setup needs are links.
fake() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
mkdir "$work/bin"
for real in sh cut env true; do ln -s "$(command -v $real)" "$work/bin/$real"; done
fake dpkg-query "for p; do :; done; grep -qx -- \"\$p\" '$work/installed' && printf installed"
ln -s "$(command -v grep)" "$work/bin/grep"
fake apt-get "echo apt-get \"\$@\" >>'$work/calls'"
fake id "echo \${FAKE_UID:-0}"
for there in cc cmake pkg-config; do fake $there ''; done
everything="libc6-dev zlib1g-dev libzstd-dev liblzma-dev libutf8proc-dev libxxhash-dev
libjansson-dev libpcre2-dev libmicrohttpd-dev"

# setup UID INSTALLED ARGS...: runs it and sets $status, $calls (of apt-get) and $said (its output).
setup() {
    uid=$1
    printf '%s\n' $2 >"$work/installed"
    shift 2
    : >"$work/calls"
    said=$(PATH=$work/bin FAKE_UID=$uid "$work/bin/sh" "$root/tools/setup" "$@" 2>&1 </dev/null)
    status=$?
    calls=$(cat "$work/calls")
}
check() {
    [ "$2" = "$3" ] && return
    printf '%s:\n  expected %s\n  got      %s\n' "$1" "$3" "$2"
    result=1
}

setup 0 "$everything" build
check "nothing missing: status" "$status" 0
check "nothing missing: apt-get is not called" "$calls" ""
check "nothing missing: silent" "$said" ""

setup 0 "libc6-dev zlib1g-dev libzstd-dev liblzma-dev libutf8proc-dev" build
check "as root: status" "$status" 0
check "as root: update, then install what is missing" "$calls" "apt-get update -q
apt-get install -q -y --no-install-recommends libxxhash-dev libjansson-dev libpcre2-dev libmicrohttpd-dev"

rm "$work/bin/cc" "$work/bin/cmake"
setup 0 "$everything" build
check "missing commands: their packages" "$calls" "apt-get update -q
apt-get install -q -y --no-install-recommends gcc cmake"
fake cc ''
fake cmake ''

setup 1000 "$(echo "$everything" | sed s/zlib1g-dev//)" build
check "not root, no sudo: status" "$status" 1
check "not root, no sudo: apt-get is not called" "$calls" ""
case $said in
*"sudo apt-get update && sudo apt-get install -y --no-install-recommends zlib1g-dev"*) ;;
*) check "not root, no sudo: the line to type" "$said" "sudo apt-get update && ..." ;;
esac

fake sudo 'while [ "$1" = -n ]; do shift; done; "$@"'
setup 1000 "libc6-dev" build
check "with sudo: status" "$status" 0
check "with sudo: installs" "$(echo "$calls" | wc -l)" 2

fake sudo 'exit 1'
setup 1000 "libc6-dev" build
check "sudo needs a password, no terminal: status" "$status" 1
check "sudo needs a password, no terminal: apt-get is not called" "$calls" ""
rm "$work/bin/sudo"

fake apt-get 'exit 100'
setup 0 "libc6-dev" build
check "apt-get fails: status" "$status" 100

setup 0 "$everything" nonsense
check "an unknown group" "$status" 2

exit $result
