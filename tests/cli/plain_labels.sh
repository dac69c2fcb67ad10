# --plain-labels: "?" and "a|b" are labels like any other. Without it they are unknown and a set.
tab=$(printf '\t')
for i in 1 2; do
    printf '?%sx\na|b%sy\nc%sz\n\n' "$tab" "$tab" "$tab"
done >items
run train -q --format crfsuite --plain-labels -o plain.cau items
run tag -m plain.cau items
run train -q --format crfsuite -o sets.cau items
run inspect --dump sets.cau | grep '^class'
printf '?%sa b\nyes%sb c\n' "$tab" "$tab" >texts
run train -q --format text --plain-labels -o text.cau texts
run train -q --format text -o text.cau texts
