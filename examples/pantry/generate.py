#!/usr/bin/env python3
"""Goods of a pantry with counts of the words that occur near them: data for clustering.

    python3 generate.py     writes goods.tsv (item TAB word:count ...), classes.tsv (item TAB class) and
                            links.tsv (item TAB item TAB must or cannot) here

The words are drawn at random, so the data may be used for anything, and the same seed writes the same
bytes. Goods of one class share words. Some words belong to two classes, some to all. A few goods
(tomato, ginger, lemon, peeler) have words of two classes.
"""

import pathlib
import random

SEED = 2026

WORDS = {
    "fruit": "ripe sweet juicy orchard peel core slice pie jam tree".split(),
    "vegetable": "raw peel garden root leaves boil roast soup slice bed".split(),
    "spice": "ground pinch jar hot aroma seeds whole sprinkle trade toast".split(),
    "dairy": "cold fresh cow jug pour spread slice sour whip bottle".split(),
    "tool": "handle sharp wooden steel drawer wash rinse grip heavy edge".split(),
}
COMMON = "good buy kitchen use old new small large store much".split()

GOODS = {
    "fruit": "apple pear plum cherry peach quince apricot grape lemon fig".split(),
    "vegetable": "carrot leek turnip beet cabbage parsnip celery chard radish tomato".split(),
    "spice": "pepper cumin nutmeg clove mace paprika saffron cinnamon cardamom ginger".split(),
    "dairy": "milk butter cream yoghurt cheese curd buttermilk whey".split(),
    "tool": "knife ladle grater whisk spoon peeler tongs sieve skewer rolling-pin".split(),
}
BETWEEN = {"tomato": "fruit", "ginger": "vegetable", "lemon": "spice", "peeler": "vegetable"}


def draw(rng, good, kind):
    counts = {}
    other = BETWEEN.get(good, kind)
    for _ in range(rng.randrange(25, 60)):
        x = rng.random()
        words = COMMON if x < .35 else WORDS[other] if x < .55 else WORDS[kind]
        if x > .95:
            words = WORDS[rng.choice(sorted(WORDS))]
        word = rng.choice(words)
        counts[word] = counts.get(word, 0) + 1
    return " ".join("%s:%d" % pair for pair in sorted(counts.items()))


def main():
    rng = random.Random(SEED)
    pairs = [(good, kind) for kind, goods in sorted(GOODS.items()) for good in goods]
    rng.shuffle(pairs)
    here = pathlib.Path(__file__).parent
    lines = ["%s\t%s\n" % (good, draw(rng, good, kind).replace(" ", "\t")) for good, kind in pairs]
    files = {
        "goods.tsv": "".join(lines),
        "classes.tsv": "".join("%s\t%s\n" % pair for pair in pairs),
        "links.tsv": "# what is known before anything is asked\n"
                     "tomato\tcarrot\tmust\nginger\tnutmeg\tmust\nlemon\tpepper\tcannot\n"
                     "peeler\tknife\tmust:0.9\n",
    }
    for name, text in files.items():
        (here / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
