#!/usr/bin/env python3
"""Lines of recipes, with a label for each token.

    python3 generate.py            writes train.txt (1400 lines) and test.txt (400 lines) here

A line of a recipe is a sequence: one token per line of the file, followed by a TAB and its label,
and an empty line at its end. Labels mark segments in IOB2: B-X begins a segment of type X, I-X
continues it, O is outside of all segments. The types are

    QTY    quantity               2   1 1/2   a few
    UNIT   unit                   cups   stick   cloves
    SIZE   size                   large   heaping
    STATE  preparation            finely chopped   at room temperature
    NAME   ingredient             red onions   ground beef   half-and-half
    NOTE   anything else          plus more to taste   optional

A small grammar generates all lines, so the data may be used for anything. The same seed writes the
same bytes. The task has the difficulties of real recipes. The label of a word depends on its
neighbours: cloves measure garlic and are a spice, a stick is of butter or of cinnamon, smoked belongs
to the name of salmon but chopped is a state of onions. Numbers occur in quantities, states and
notes. A quarter of the names, states and notes in test.txt does not occur in train.txt. Units and
commas are missing, and there are typing errors.
"""

import pathlib
import random
import re

SEED = 2026
TRAIN, TEST = 1400, 400
UNHEARD = 0.25  # share of the names, states and notes in test.txt that only occur there
CARELESS = 0.12  # share of the commas that are left out
TYPOS = 0.03


def listed(text):
    """ "a; b; c" as a list. An entry that occurs twice is twice as probable."""
    return re.split(r"\s*;\s*", " ".join(text.split()))


# The slots of a line and their labels. "clove/cloves" is singular or plural, to agree with the
# quantity before it.
SLOTS = {
    "one": ("QTY", "1; 1; 1; 1; 1; one; One; a; A; ½; 1/2; half a; Half a"),
    "many": ("QTY", """2; 2; 2; 2; 3; 3; 3; 4; 4; 5; 6; 8; 10; 12; two; three; four; 1 1/2; 1½; 2
        1/2; 2 - 3; 3-4; 2 to 3; 4 to 6; 1 or 2; a few; A few; 6–8; several; two or three"""),
    "part": ("QTY", """1; 2; 3; 1/2; 1/4; 3/4; 1/3; 2/3; ½; ¼; ⅓; ¾; 1 1/2; 1½; 1 1/4; 2 1/4; 2½; 1
        to 2; 1-2; 0.5; 1 or 2"""),
    "some": ("QTY", "1; a; a; a; A; one; One; a good"),
    "hundred": ("QTY", """50; 75; 100; 100; 120; 125; 150; 200; 200; 250; 250; 300; 350; 400; 450;
        500; 750; 100 - 150; 200 to 250; 80-100"""),
    "weight": ("QTY", "1/2; ½; 1; 1; 2; 3; 1 1/2; 1½; 0.5; 1.2; 2 to 3; 1-2"),
    "filled": ("QTY", "14; 15; 28; 14.5; 8; 6; 250; 400"),
    "cup": ("UNIT", "cup/cups; cup/cups; cup/cups; cup/cups; Cup/Cups; c."),
    "spoon": ("UNIT", """tablespoon/tablespoons; teaspoon/teaspoons; tbsp; tsp; tbsp.; tsp.; Tbsp;
        T; t; spoon/spoons; dessertspoon/dessertspoons"""),
    "gram": ("UNIT", "g; g; g; gr; grams; g."),
    "pound": ("UNIT", "kg; pound/pounds; lb; lb/lbs; lb.; kilo/kilos; ounce/ounces; oz"),
    "ml": ("UNIT", "ml; ml; mL; cc"),
    "pint": ("UNIT", "l; litre/litres; pint/pints; quart/quarts; dl"),
    "ounce": ("UNIT", "ounce; ounce; oz; oz.; g; ml"),
    "can": ("UNIT", """can/cans; can/cans; can/cans; can/cans; tin/tins; jar/jars; box/boxes;
        package/packages; packet/packets; bag/bags; carton/cartons; pkg."""),
    "bunch": ("UNIT", "bunch/bunches; bunch/bunches; handful/handfuls; sprig/sprigs; stalk/stalks"),
    "leaf": ("UNIT", "leaf/leaves; sprig/sprigs; stem/stems"),
    "pinch": ("UNIT", "pinch/pinches; pinch/pinches; dash/dashes; touch/touches"),
    "splash": ("UNIT", "splash/splashes; drop/drops; dash/dashes; glass/glasses"),
    "clove": ("UNIT", "clove/cloves; clove/cloves; clove/cloves; head/heads"),
    "stick": ("UNIT", "stick/sticks; stick/sticks; knob/knobs; pat/pats"),
    "slice": ("UNIT", "slice/slices; slice/slices; piece/pieces; strip/strips"),
    "rib": ("UNIT", "rib/ribs; stalk/stalks; head/heads; stick/sticks"),
    "size": ("SIZE", "large; large; small; small; medium; big; medium-sized; extra large; Large"),
    "spooned": ("SIZE", "heaping; level; scant; generous; rounded; large; small"),
    "juice": ("STATE", "Juice of; juice of; Zest of; Grated zest of; finely grated zest of"),
    "note": ("NOTE", """to taste; optional; for serving; for garnish; plus more for dusting;
        divided; plus more to taste; plus extra for the pan; if needed; as needed; or more to
        taste; see note; for frying; or more; about 2 cups; about 1 large; the best you can find;
        if you like; or whatever you can get; store-bought or homemade; you can use less; for the
        pan; a good one; do not use light; organic if possible; 1 stick; 2 small cans; reserve the
        rest; reserve 1/2 cup for later; enough for 12 slices; room temperature is fine"""),
}

# States and notes of any ingredient that occur only in test.txt.
NEW_STATES = """julienned; blanched; deseeded and shredded; scrubbed; zested; well drained; torn
    into shreds; patted dry; ground to a powder; sliced into thin rounds; broken up; cut on the
    diagonal; finely julienned; passed through a sieve; pounded; coarsely crushed; left whole;
    stemmed"""
NEW_NOTES = """to finish; more or less; a large handful; preferably unsalted; for the top; extra
    for greasing; 1 to 2 sticks; freshly made if you can; adjust to taste; omit for children;
    tinned will do; about half a can; to decorate; not from a jar; or 2 teaspoons dried; your
    choice"""

# Ingredients with the same units and states. `new` ones occur only in test.txt; states stand
# `before` the name or, following a comma, `after` it; `other` follows an "or". Words outside of
# braces are labelled O.
KINDS = [
    {"lines": """{part} {cup} {name}; {part} {cup} {name}; {part} {cup} {name}; {part} {name};
         {hundred} {gram} {name}; {hundred} {gram} {name}; {part} {spooned} {cup} {name}; {part}
         {cup} of {name}; About {part} {cup} {name}; {part} {spoon} {name}; {part} {cup} plus
         {part} {spoon} {name}""",
     "names": """flour; all-purpose flour; whole wheat flour; bread flour; sugar; brown sugar;
         light brown sugar; powdered sugar; rolled oats; cornmeal; white rice; long grain rice;
         brown rice; bread crumbs; cocoa powder; red lentils; split peas; semolina; couscous;
         ground almonds; active dry yeast; oat bran; instant rice; puffed rice""",
     "new": """rye flour; spelt flour; pearl barley; quinoa; buckwheat; caster sugar; bulgur;
         almond flour; ground hazelnuts; crushed crackers""",
     "before": "packed; firmly packed; sifted; cooked; uncooked; leftover cooked; dry",
     "after": """sifted; rinsed; rinsed and drained; cooked; toasted; spooned and levelled; soaked
         for 2 hours; cooked according to package""",
     "other": "oat bran; barley; white sugar"},

    {"lines": """{part} {cup} {name}; {part} {cup} {name}; {part} {cup} {name}; {part} {cup}
         {name}; {hundred} {gram} {name}; {part} {spoon} {name}; {weight} {pound} {name}; {part}
         {cup} ( {hundred} {gram} ) {name}; {some} handful of {name}; {name}""",
     "names": """raisins; dried cranberries; walnuts; chocolate chips; dark chocolate chips;
         almonds; shredded coconut; sliced almonds; peanuts; roasted peanuts; cheddar; sharp
         cheddar; Parmesan; mozzarella; frozen peas; frozen corn; baby spinach; blueberries;
         strawberries; cooked ham; dark chocolate; bacon bits; green olives""",
     "new": """pecans; toasted hazelnuts; dried apricots; raspberries; smoked gouda; feta; dried
         figs; candied ginger; pine nuts; prunes; Gruyère""",
     "before": """chopped; finely chopped; toasted; grated; freshly grated; shredded; coarsely
         chopped; fresh; thinly sliced; frozen""",
     "after": """chopped; roughly chopped; grated; thawed; at room temperature; finely grated;
         soaked in warm water; cut into 1/2 - inch cubes; crumbled; halved""",
     "other": "ground nuts; raisins; pistachios"},

    {"lines": """{part} {cup} {name}; {part} {cup} {name}; {part} {cup} {name}; {name}; {part}
         {spoon} {name}; {part} {spoon} {name}; {hundred} {ml} {name}; {weight} {pint} {name};
         {part} {cup} ( {hundred} {ml} ) {name}; {some} {splash} of {name}; {part} {cup} of {name};
         about {part} {cup} {name}""",
     "names": """milk; whole milk; water; cold water; boiling water; olive oil; extra virgin olive
         oil; vegetable oil; white wine; dry white wine; chicken stock; vegetable broth; beef
         broth; heavy cream; half and half; half-and-half; evaporated milk; coconut milk; orange
         juice; lemon juice; maple syrup; cider; red wine vinegar; soy sauce; buttermilk; melted
         butter; cold brew coffee; beer""",
     "new": """sunflower oil; sesame oil; whipping cream; fish stock; sparkling water; almond milk;
         rice vinegar; clotted cream; kefir; port; dry sherry; pineapple juice; golden syrup""",
     "before": "warm; cold; fresh; freshly squeezed; lukewarm; chilled; room temperature",
     "after": "warmed; at room temperature; chilled; cooled; heated to 110 degrees; strained",
     "other": "water; chicken stock; cream; canola oil"},

    {"lines": """{part} {spoon} {name}; {part} {spoon} {name}; {part} {spoon} {name}; {part}
         {spoon} {name}; {some} {pinch} {name}; {some} {pinch} of {name}; {name}; {many} {pinch} of
         {name}; {part} {spooned} {spoon} {name}; Salt and {name}; {many} {name}""",
     "names": """salt; sea salt; kosher salt; black pepper; pepper; cumin; ground cumin; cinnamon;
         ground cinnamon; paprika; smoked paprika; sweet paprika; nutmeg; cloves; ground cloves;
         chili powder; curry powder; garlic powder; onion powder; oregano; dried oregano; mustard
         seeds; crushed red pepper; mixed spice; ground ginger; cayenne; red pepper flakes""",
     "new": """turmeric; allspice; cardamom; ground coriander; white pepper; sumac; dried marjoram;
         caraway seeds; saffron; fennel seeds; smoked salt""",
     "before": "ground; freshly ground; dried; coarse; fine; whole; freshly grated",
     "after": "crushed; toasted; freshly ground; finely ground; toasted and ground",
     "other": "pepper; allspice; salt"},

    {"lines": """{part} {spoon} {name}; {part} {spoon} {name}; {part} {spoon} {name}; {part} {cup}
         {name}; {some} {splash} of {name}; {part} {spooned} {spoon} {name}; {one} {can} {name};
         {name}""",
     "names": """baking powder; baking soda; vanilla extract; vanilla; Dijon mustard; tomato paste;
         mayonnaise; ketchup; cream of tartar; cornstarch; honey; peanut butter; sour cream; cream
         cheese; plain yogurt; Greek yogurt; hot sauce; strawberry jam; mashed potatoes; pickle
         relish; grated horseradish; condensed milk""",
     "new": """whole grain mustard; harissa; powdered gelatin; tahini; miso; almond extract; curry
         paste; clarified butter; apple butter""",
     "before": "cold; homemade; softened; pure; room temperature",
     "after": "at room temperature; softened; dissolved in 1 tablespoon water; chilled",
     "other": "mustard; lemon zest; margarine"},

    {"lines": """{many} {name}; {many} {name}; {many} {name}; {one} {name}; {one} {name}; {many}
         {size} {name}; {many} {size} {name}; {one} {size} {name}; {one} {size} {name}; {weight}
         {pound} {name}; {part} {cup} {name}; {many} {name} ( {hundred} {gram} )""",
     "names": """onion/onions; red onion/red onions; yellow onion/yellow onions; carrot/carrots;
         potato/potatoes; sweet potato/sweet potatoes; tomato/tomatoes; plum tomato/plum tomatoes;
         cherry tomato/cherry tomatoes; bell pepper/bell peppers; green bell pepper/green bell
         peppers; zucchini; cucumber/cucumbers; eggplant/eggplants; leek/leeks; green onion/green
         onions; spring onion/spring onions; shallot/shallots; avocado/avocados;
         jalapeño/jalapeños; red chili/red chilies; green bean/green beans; button mushroom/button
         mushrooms""",
     "new": """turnip/turnips; parsnip/parsnips; fennel bulb/fennel bulbs; beet/beets; portobello
         mushroom/portobello mushrooms; poblano/poblanos; butternut squash; radish/radishes""",
     "before": """ripe; whole; chopped; peeled; finely chopped; diced; very ripe; thinly sliced;
         roasted; frozen; boiled; fresh""",
     "after": """chopped; finely chopped; diced; peeled; peeled and diced; thinly sliced; sliced;
         halved; quartered; cut into 1 - inch cubes; seeded and minced; grated; halved lengthwise;
         mashed; cut in half; seeds removed; cut into large pieces; roasted and peeled""",
     "other": "shallots; leeks; peppers"},

    {"lines": """{many} {name}; {one} {name}; {many} {size} {name}; {one} {size} {name};
         {juice} {many} {name}; {juice} {one} {name}; {juice} {one} {size} {name}; {weight}
         {pound} {name}""",
     "names": """lemon/lemons; lemon/lemons; lime/limes; orange/oranges; apple/apples; green
         apple/green apples; banana/bananas; mango/mangoes; blood orange/blood oranges""",
     "new": "pear/pears; peach/peaches; Granny Smith apple/Granny Smith apples; plum/plums",
     "before": "ripe; very ripe; peeled; sliced; fresh; unwaxed; chopped",
     "after": """peeled; sliced; cored and sliced; mashed; halved; cut into 4 wedges; juiced;
         peeled , cored and chopped; cut into wedges; zest and juice only""",
     "other": "limes; pears"},

    {"lines": """{many} {name}; {many} {name}; {one} {name}; {many} {size} {name}; {one} {size}
         {name}; {many} {name} ( {hundred} {gram} )""",
     "names": """egg/eggs; egg/eggs; egg/eggs; egg yolk/egg yolks; egg white/egg whites; bay
         leaf/bay leaves; cinnamon stick/cinnamon sticks; clove/cloves; vanilla bean/vanilla beans;
         pita bread/pita breads; hamburger bun/hamburger buns; tortilla/tortillas; fish stick/fish
         sticks; paper cup/paper cups; chicken breast/chicken breasts; chicken thigh/chicken
         thighs; pork chop/pork chops; pork rib/pork ribs; rib eye steak/rib eye steaks; salmon
         fillet/salmon fillets; ice cube/ice cubes""",
     "new": """quail egg/quail eggs; lamb shank/lamb shanks; duck leg/duck legs; lasagna
         sheet/lasagna sheets; curry leaf/curry leaves; lemongrass stick/lemongrass sticks;
         poppadom/poppadoms""",
     "before": "whole; cold; frozen; fresh; cooked; boiled; room temperature; leftover",
     "after": """beaten; lightly beaten; at room temperature; separated; halved; trimmed; split;
         toasted; cooked; thawed; cut into 2 - inch pieces; warmed""",
     "other": "turkey legs; sage leaves; flatbread"},

    {"lines": """{hundred} {gram} {name}; {hundred} {gram} {name}; {hundred} {gram} {name};
         {weight} {pound} {name}; {weight} {pound} {name}; {weight} {pound} {name}; {part} {cup}
         {name}; about {hundred} {gram} {name}; {hundred} {gram} of {name}; {weight} {pound} (
         {hundred} {gram} ) {name}""",
     "names": """ground beef; lean ground beef; minced lamb; ground pork; chicken breast; boneless
         chicken thighs; smoked salmon; shrimp; bacon; smoked bacon; Italian sausage; pork
         shoulder; beef chuck; cod; tofu; firm tofu; mushrooms; broccoli; new potatoes; spaghetti;
         egg noodles; pumpkin; asparagus; white fish; roast chicken""",
     "new": """ground turkey; minced veal; smoked mackerel; corned beef; pulled pork; scallops;
         halibut; Brussels sprouts; linguine; rice noodles; pickled herring; oyster mushrooms""",
     "before": "cooked; boneless; chopped; diced; frozen; thinly sliced; fresh; leftover; raw",
     "after": """cubed; cut into cubes; cut into bite-sized pieces; thinly sliced; trimmed;
         chopped; cut into 2 - inch pieces; peeled; cooked and crumbled; cooked; cut into 1/2 -
         inch strips; skin removed; at room temperature""",
     "other": "turkey; veal; seitan"},

    {"lines": """{one} ( {filled} {ounce} ) {can} {name}; {one} ( {filled} {ounce} ) {can} {name};
         {many} {can} {name}; {many} {can} {name}; {one} {can} {name}; {one} {can} {name}; {many} (
         {filled} - {ounce} ) {can} {name}; {one} {filled} - {ounce} {can} {name}; {one} {size}
         {can} {name}; {one} {can} ( {filled} {ounce} ) {name}; {one} {can} of {name}""",
     "names": """tomatoes; diced tomatoes; crushed tomatoes; black beans; baked beans; kidney
         beans; chickpeas; coconut milk; tuna; tomato sauce; corn; sweet corn; olives; black
         olives; pickles; sun-dried tomatoes; puff pastry; frozen spinach; tomato soup; peach
         slices; chicken broth""",
     "new": """cannellini beans; refried beans; roasted red peppers; sardines; capers; stewed
         tomatoes; anchovies; pumpkin puree; dried mushrooms; pineapple chunks""",
     "before": "drained; chopped; whole; low-sodium; unsalted; good",
     "after": """drained; drained and rinsed; undrained; chopped; thawed; with their juice; crushed
         by hand; squeezed dry; drained well""",
     "other": "white beans; peas; passata"},

    {"lines": """{one} {bunch} {name}; {many} {bunch} {name}; {many} {leaf} {name}; {name}; {part}
         {cup} {name}; {part} {spoon} {name}; {one} {size} {bunch} {name}; {some} {bunch} of
         {name}; {many} {leaf} of {name}; {many} {name} {leaf}""",
     "names": """parsley; flat-leaf parsley; basil; Thai basil; cilantro; thyme; mint; rosemary;
         dill; chives; spinach; sage; mixed herbs""",
     "new": "tarragon; chervil; arugula; watercress; lovage; kaffir lime; curly kale",
     "before": "fresh; fresh; chopped; fresh chopped; finely chopped; dried; torn",
     "after": """chopped; finely chopped; torn; leaves only; stems removed; minced; roughly torn;
         washed; leaves picked and chopped; bruised""",
     "other": "dill; oregano"},

    {"lines": """{many} {clove} {name}; {many} {clove} {name}; {one} {clove} {name}; {many} {clove}
         of {name}; {many} {size} {clove} {name}; {many} {name} {clove}; {one} {name} {clove}""",
     "names": "garlic; garlic; garlic; garlic; young garlic",
     "new": "smoked garlic; elephant garlic",
     "before": "minced; crushed; fresh; roasted; whole; peeled",
     "after": """minced; crushed; pressed; peeled; finely minced; sliced; smashed; halved
         crosswise; peeled and crushed; cut into slivers""",
     "other": "onion"},

    {"lines": """{one} {stick} {name}; {many} {stick} {name}; {part} {spoon} {name}; {one} {stick}
         ( {part} {cup} ) {name}; {one} {stick} of {name}; {hundred} {gram} {name}""",
     "names": "butter; butter; butter; unsalted butter; salted butter; margarine",
     "new": "vegan butter; lard; browned butter",
     "before": "cold; softened; melted; soft",
     "after": """softened; melted; cut into pieces; at room temperature; cubed; melted and cooled;
         cut into 8 pieces""",
     "other": "margarine; shortening"},

    {"lines": """{many} {slice} {name}; {many} {slice} {name}; {one} {slice} {name}; {many} {slice}
         of {name}; {many} {size} {slice} {name}""",
     "names": """bacon; white bread; sourdough bread; ham; smoked ham; Swiss cheese; toast;
         prosciutto; provolone; roast beef""",
     "new": "pancetta; rye bread; brioche; salami; smoked turkey",
     "before": "thick; stale; toasted; thin; thick-cut; day-old",
     "after": "crusts removed; toasted; cut into 1 - inch strips; halved; torn; chopped",
     "other": "turkey bacon; baguette"},

    {"lines": """{many} {rib} {name}; {many} {rib} {name}; {one} {rib} {name}; {one} {size} {rib}
         {name}; {many} {rib} of {name}; {part} {cup} {name}; {one} {size} {name}""",
     "names": "celery; celery; lettuce; cabbage; red cabbage; cauliflower; lemongrass",
     "new": "chard; bok choy; radicchio; romaine lettuce",
     "before": "chopped; fresh; shredded; diced; crisp",
     "after": """chopped; diced; finely sliced; shredded; cut into large pieces; trimmed; cored and
         shredded; bruised""",
     "other": "fennel"},
]

HEADINGS = listed("For the {}:; For the {}; {}:; To serve:; To make the {}:; For {} and {}:")
DISHES = listed("sauce; dough; filling; cake; salad; dressing; topping; soup; marinade; glaze")

SLOTS = {slot: (part, listed(text)) for slot, (part, text) in SLOTS.items()}
KINDS = [{key: listed(text) for key, text in kind.items()} for kind in KINDS]
NEW_STATES, NEW_NOTES = listed(NEW_STATES), listed(NEW_NOTES)


def labelled(words, part):
    return [(w, ("I-" if i else "B-") + part) for i, w in enumerate(words.split())]


def side(text, many):
    """The singular or the plural of "clove/cloves"."""
    one, _, more = text.partition("/")
    return more if more and many else one


def pick(rng, known, new, unheard):
    return rng.choice(new if rng.random() < unheard else known)


def named(rng, kind, unheard, many):
    """The ingredient, perhaps with a state before it or with an alternative."""
    name = side(pick(rng, kind["names"], kind["new"], unheard), many)
    out = labelled(name, "NAME")
    # frozen is part of the name of frozen peas, so they may have another state
    if rng.random() < 0.28 and not re.search(r"(ed|en|ing|ground|cold|dry|instant) ", name):
        out = labelled(rng.choice(kind["before"]), "STATE") + out
    if rng.random() < 0.05:
        out += [("or", "O")] + labelled(rng.choice(kind["other"]), "NAME")
    return out


def tail(rng, kind, unheard):
    """What follows the ingredient: a state, a note, both or nothing."""
    comma = [] if rng.random() < CARELESS else [(",", "O")]
    note = labelled(pick(rng, SLOTS["note"][1], NEW_NOTES, unheard), "NOTE")
    state = labelled(pick(rng, kind["after"], NEW_STATES, unheard), "STATE")
    chance = rng.random()
    if chance < 0.36:
        return comma + state
    if chance < 0.48:
        return comma + note
    if chance < 0.55:
        return [("(", "O")] + note + [(")", "O")]
    if chance < 0.58:
        return [("(", "O")] + state + [(")", "O")]
    if chance < 0.63:
        return [(",", "O")] + state + comma + note
    return []


def heading(rng):
    words = rng.choice(HEADINGS).format(*rng.sample(DISHES, 2)).replace(":", " :").split()
    return [(w, "O") for w in words]


def ingredient(rng, unheard):
    kind = rng.choice(KINDS)
    out, many = [], False
    for word in rng.choice(kind["lines"]).split():
        slot = word.strip("{}")
        if slot == "name":
            out += named(rng, kind, unheard, many)
        elif slot == word:
            out.append((word, {"Salt": "B-NAME", "handful": "B-UNIT"}.get(word, "O")))
        else:
            part, choices = SLOTS[slot]
            text = rng.choice(choices)
            if part != "QTY":
                text = side(text, many)
            elif slot in ("one", "many", "part", "weight"):
                many = slot == "many" or re.match(r"[2-9](?!/)|1[ ½-]", text) is not None
            out += labelled(text, part)
    return out + tail(rng, kind, unheard)


def mistype(rng, word):
    """One typing error inside a word: a letter dropped or doubled, or two letters swapped."""
    if len(word) < 4 or not word.isalpha():
        return word
    i = rng.randrange(1, len(word) - 1)
    kind = rng.randrange(3)
    if kind == 0:
        return word[:i] + word[i + 1:]
    if kind == 1:
        return word[:i] + word[i] + word[i:]
    return word[:i] + word[i + 1] + word[i] + word[i + 2:]


def dress(rng, tokens):
    """Adds typing errors; some lines begin with a capital, some are all capitals."""
    tokens = [(mistype(rng, w) if rng.random() < TYPOS else w, y) for w, y in tokens]
    chance = rng.random()
    if chance < 0.03:
        return [(w.upper(), y) for w, y in tokens]
    if chance < 0.15:
        tokens[0] = (tokens[0][0][0].upper() + tokens[0][0][1:], tokens[0][1])
    return tokens


def main():
    rng = random.Random(SEED)
    here = pathlib.Path(__file__).parent
    seen = set()
    for path, size, unheard in ("train.txt", TRAIN, 0), ("test.txt", TEST, UNHEARD):
        out = []
        while len(out) < size:
            tokens = dress(rng, heading(rng) if rng.random() < 0.03 else ingredient(rng, unheard))
            text = " ".join(w for w, _ in tokens)
            if text not in seen:  # no line of the test set stands in the training set
                seen.add(text)
                out.append("".join(f"{w}\t{y}\n" for w, y in tokens))
        (here / path).write_text("\n".join(out), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
