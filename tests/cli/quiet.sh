# --quiet leaves only errors on standard error. Without it notes and a report are there; standard output has
# results only, in both cases.
data=$EXAMPLES/desk/train.txt
test=$EXAMPLES/desk/test.txt
caucus train --quiet -o m.cau "$data"
caucus tag --quiet -m m.cau "$test" >tagged
caucus eval --quiet tagged >/dev/null
caucus inspect --quiet m.cau >/dev/null
caucus inspect --dump m.cau >dump
caucus convert --quiet dump n.cau
caucus train -o n.cau "$data" 2>err
cmp m.cau n.cau
# The report, without numbers that depend on the machine.
sed -e "s|$EXAMPLES|EXAMPLES|" -e 's/about [0-9.]* MB.*/about N MB/' -e 's/[0-9.]* kB/N kB/' \
    -e '/^iteration [2-9]/s/iteration [0-9]*/iteration N/' -e 's/[0-9.]* s$/N s/' -e 's/  0:[0-9]*$/  TIME/' \
    -e 's/[0-9]* iterations, [0-9]* passes/N iterations, N passes/' \
    -e 's/[0-9]*\.[0-9]\{2,\}\(e[+-][0-9]*\)\{0,1\}/X/g' -e 's/[0-9]\.[0-9]e[+-][0-9]*/X/' err
