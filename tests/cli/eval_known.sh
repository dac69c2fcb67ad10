# Scores of known and unknown words, and of chunks seen in training and new ones.
exec 2>&1
cat >train <<'END'
Rolf B-PER
Weil I-PER
lives O
in O
Ulm B-LOC

Ems B-LOC
likes O
Ulm B-ORG
END
cat >tagged <<'END'
Rolf B-PER B-PER
Weil I-PER I-PER
likes O O
Bad B-LOC O
Ems I-LOC B-LOC

Ulm B-LOC B-LOC
and O O
ulm B-LOC O
visit O B-PER
END
caucus eval --known train tagged
echo "= $?"
caucus eval --known train --json tagged | sed -n '/"known"/,$p'
printf 'the DT DT\ncat NN VB\nsat VB VB\n' >tags
printf 'the DT\nsat VB\n' >seen
caucus eval --known seen tags | tail -n 8
