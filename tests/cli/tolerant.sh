# CRLF, a missing final newline, a byte-order mark, blank lines and trailing blanks are accepted; the weights are
# those of the clean file.
# shellcheck disable=SC2059 # bytes are written as formats
bom='\357\273\277'
model() { # model FILE OPTIONS: the dump of the model, without the fingerprint of the file
    caucus train -q "$@" -o m.cau && caucus inspect --dump m.cau | grep -v fingerprint
}
same() {
    model "$@" >got
    if cmp -s got clean; then echo same; else diff clean got; fi
}
printf 'yes\tgood fine\nno\tbad worse\n' >clean.txt
model clean.txt >clean
printf 'yes\tgood fine\r\nno\tbad worse\r\n' >crlf.txt
printf 'yes\tgood fine\nno\tbad worse' >cut.txt
printf "${bom}yes\tgood fine\nno\tbad worse\n" >bom.txt
printf "${bom}yes\tgood fine\r\n\r\nno\tbad  worse " >all.txt
for file in crlf cut bom all; do same $file.txt -f text; done

printf '1 1:1 2:0.5\n-1 3:1\n' >clean.svm
model clean.svm >clean
printf "${bom}1 1:1 2:0.5 # good\r\n# nothing\r\n\r\n-1 qid:7 3:1.0" >all.svm
same all.svm -f svmlight

printf 'A\tx\ty:2\n\nB\tz\n' >clean.crf
model clean.crf -f crfsuite >clean
printf "${bom}A\tx\ty:2\r\n\r\nB\tz" >all.crf
same all.crf -f crfsuite

printf 'the DT O\ncat NN B\n\nsat VB O\n' >clean.col
model clean.col -f columns >clean
printf "${bom}the DT O\r\ncat\tNN  B\r\n\r\nsat VB O" >all.col
same all.col -f columns

printf 'A\tx y\nB\tz\n' >clean.meg
model clean.meg -f megam >clean
printf "${bom}A\tx y\r\nB\tz" >all.meg
same all.meg -f megam

# Tagging: labels are printed without the carriage return.
caucus train -q -o m.cau clean.txt
for file in clean crlf cut bom; do caucus tag -q -m m.cau $file.txt; done | od -c | head
