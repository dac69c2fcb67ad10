# A line of 100 MB is read, or refused with one line that names it.
words() { # words BYTES: prints "word " repeated to that length, and a newline
    yes 'word' | tr '\n' ' ' | head -c "$1"
    echo
}
{
    printf 'yes\t'
    words 100000000
    printf 'no\tbad\n'
} >long.txt
printf 'yes\tgood word\nno\tbad\n' >short.txt
caucus train -q -o short.cau short.txt
caucus train -q -o long.cau long.txt 2>err
echo "train $? $(wc -l <err)"
caucus tag -q -m short.cau long.txt 2>err
echo "tag $? $(wc -l <err)"
{
    head -c 100000000 /dev/zero | tr '\0' x # one word, no label
    echo
} >word.txt
caucus tag -q -m short.cau word.txt 2>err | wc -lc
wc -l <err
