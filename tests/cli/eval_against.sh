# Significance tests between systems; the same result at any number of threads.
exec 2>&1
awk 'BEGIN {
    srand(4)
    split("PER LOC ORG", type, " ")
    for (s = 1; s <= 200; s++) {
        for (t = 1; t <= 8; t++) {
            gold = (s * 7 + t * 3) % 4 ? "O" : "B-" type[1 + (s + t) % 3]
            a = (s * 13 + t * 5) % 11 ? gold : "O"
            b = (s * 13 + t * 5) % 17 ? gold : "B-PER"
            c = (s + t) % 13 ? a : "B-LOC"
            print "w" t, gold, a >"a"
            print "w" t, gold, b >"b"
            print "w" t, gold, c >"c"
        }
        print "" >"a"; print "" >"b"; print "" >"c"
    }
}'
caucus eval --against b -t 1 a >one
caucus eval --against b -t 2 a | cmp one - && sed -n '/system/,$p' one
caucus eval --against b --json a | sed -n '/"comparison"/,$p'
caucus eval --against b --against c --resamples 1000 a >three
sed -n '/system/,$p' three
caucus eval --against b --against c --pairs first --resamples 1000 a | sed -n '/  pair/,/Holm/p'
caucus eval --against a a | sed -n '/system/,$p'
caucus eval --classes --against b --seed 7 a | sed -n '/system/,$p' | head -n 12
awk '{ if (NR % 90 == 1) print "-DOCSTART- O O\n"; print }' a >documents_a
awk '{ if (NR % 90 == 1) print "-DOCSTART- O O\n"; print }' b >documents_b
caucus eval --unit document --against documents_b documents_a | sed -n '/system/,$p'
