# The manual page is valid roff and describes every command and every option.
command -v mandoc >/dev/null || exit 77
caucus manual >caucus.1 || exit
mandoc -T lint -W error caucus.1
mandoc -T ascii caucus.1 | sed 's/.\x08//g' >page
sed -n '/^NAME/,/^SYNOPSIS/p' page
for command in train tag eval adapt cluster inspect convert features help manual completion version; do
    grep -q "^   caucus $command" page || echo "no $command"
    caucus $command --help-all | grep -o -e '--[a-z0-9A-Z-]\{1,\}' | sort -u | while read -r option; do
        grep -q -e "$option" page || echo "no $option of $command"
    done
done
for topic in formats templates penalties solvers models; do
    grep -q -i "^$topic" page || echo "no $topic"
done
