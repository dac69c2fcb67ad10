# The kitchen example with every model kind and the default template: sequence models beat the classifier that
# sees one token at a time.
head -n 5000 "$EXAMPLES/kitchen/train.txt" >data
right() {
    caucus train -q "$@" -o m.cau data
    caucus tag -q -m m.cau "$EXAMPLES/kitchen/test.txt" | caucus eval --classes - | awk '{ print $3; exit }'
}
crf=$(right)
memm=$(right --model memm)
maxent=$(right --model maxent)
[ "$crf" -gt "$maxent" ] && [ "$memm" -gt "$maxent" ] && echo "crf and memm are better"
[ "$maxent" -gt 2500 ] && echo "maxent is not bad"
caucus inspect m.cau | grep '^model'

# A classifier ignores bigram features.
printf 'U00:%%lower[0,0]\nB01:%%lower[0,0]\n' >edges
caucus train -q -T edges --model maxent --max-iterations 5 -o m.cau data
caucus inspect m.cau | grep -e '^model' -e '^features'
