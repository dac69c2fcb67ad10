# Wrong commands: one line (the overview if there is no command at all) and status 2.
exec 2>&1
caucus >/dev/null; echo "= $?" # no command: the overview, on standard error
run trian
run frobnicate
run a-command-that-is-far-too-long-to-be-mistaken-for-another
run ''
run predict
run apply
run label
run learn
run fit
run test
run score
run x.txt
run --quiet train
run --hlep
run -help
run --versoin
run --train
run -v
run help tarin
run help penalty
run help nothing-like-that
run train --hlep
run train --help-al
run version --hlep
run help train tag
run version x
run manual --roff
run completion
run completion tcsh
run train
run train x.txt
run train -o m.cau
run tag x.txt
run adapt
run adapt x.txt
run cluster
run inspect
run inspect a b
run convert a
run convert a b c
run version
run --version
