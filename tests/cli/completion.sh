# The completion scripts: their shells accept them, and bash completes from its own.
command -v bash >/dev/null || exit 77
for shell in bash zsh fish; do
    caucus completion $shell >script.$shell || echo "status $?"
    if command -v $shell >/dev/null; then $shell -n script.$shell; fi
done
cat >ask.bash <<'END'
source ./script.bash
compopt() { echo -n "files "; }
ask() {
    echo -n "$*: "
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _caucus
    echo "${COMPREPLY[*]}"
}
ask caucus ''
ask caucus tr
ask caucus train --l
ask caucus train --format ''
ask caucus train --format = s
ask caucus train -f m
ask caucus train --l2 ''
ask caucus train -o ''
ask caucus adapt --m
ask caucus adapt --method ''
ask caucus adapt --source ''
ask caucus cluster --m
ask caucus cluster ''
ask caucus tag ''
ask caucus tag -
ask caucus help f
ask caucus help p
ask caucus completion ''
ask caucus manual ''
END
bash ask.bash
# Every command and topic can be completed after help.
caucus help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p' | while read -r name; do
    case $name in help|manual|completion|version) continue ;; esac
    grep -q "help).*words='[^']*\<$name\>" script.bash || echo "help: no $name"
done
for shell in zsh fish; do
    for command in train adapt cluster; do
        caucus $command --help-all | grep -o -e ' --[a-z0-9A-Z-]\{1,\}' | sort -u | while read -r option; do
            grep -q -e "${option#--}" script.$shell || echo "$shell: no $option of $command"
        done
    done
done
