#!/usr/bin/env python3
"""Messages to the desk of a public library, each labelled with its topic.

    python3 generate.py            writes train.txt (800 lines) and test.txt (200 lines) here, and
                                   calls.txt (70) and calls_test.txt (300): telephone calls about
                                   the same topics

A small grammar generates all sentences, so the data may be used for anything. The same seed writes
the same bytes. A message has the form
    greeting? aside? request tail?
and the request determines the label. Asides that mention other topics, short requests that fit two
topics, words shared by all topics, and typing errors make the task as hard as real mail.
"""

import pathlib
import random
import re

SEED = 2026
TRAIN, TEST = 800, 200
CALLS, CALLS_TEST = 70, 300

# {name} stands for any alternative of that name. Requests are written per label below.
WORDS = {
    "item": ["book", "novel", "DVD", "audiobook", "comic", "cookbook", "travel guide", "atlas",
             "picture book", "magazine", "score", "language course", "thriller", "biography"],
    "items": ["books", "novels", "DVDs", "audiobooks", "comics", "travel guides", "magazines",
              "picture books", "thrillers", "things"],
    "subject": ["bees", "the Baltic", "bread", "steam engines", "chess", "knitting", "tax law",
                "the moon", "old maps", "birds", "photography", "gardening", "Roman roads",
                "learning Danish", "sailing", "mushrooms", "jazz", "statistics"],
    "author": ["Maren Holt", "J. Okafor", "Lena Brandt", "P. Varga", "Tomas Lindqvist",
               "A. Moreau", "Ines Carvalho", "R. Whitlock"],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "when": ["today", "tomorrow", "next week", "on {day}", "this weekend", "over the holidays",
             "in August", "on {day} evening", "before noon", "after work"],
    "past": ["yesterday", "last week", "on {day}", "a month ago", "this morning", "last night"],
    "branch": ["the main branch", "the harbour branch", "the branch on Mill Street",
               "your library", "the children's library", "the reading room"],
    "who": ["my daughter", "my son", "my husband", "my neighbour", "my class", "our book club",
            "a colleague", "my mother", "our choir", "my study group"],
    "n": ["two", "three", "four", "five", "six", "ten"],
    "sum": ["2 euros", "4.50", "six euros", "12 euros", "0.80", "15 euros"],
    "device": ["laptop", "phone", "tablet", "reader", "notebook"],
    "please": ["please", "if possible", "thanks"],
}

GREETINGS = ["Hello,", "Hi,", "Good morning,", "Dear library team,", "Hello there,",
             "Dear all,", "Good evening,", "Hi everyone,"]

TAILS = ["Thank you!", "Many thanks.", "Thanks a lot", "Please let me know.", "Kind regards",
         "Could you help?", "I would be grateful for an answer.", "Best wishes",
         "Please call me back.", "An answer {when} would be great."]

# Remarks before the request, independent of its topic.
ASIDES = ["I was at {branch} on {day}.", "I am writing for {who}.", "I live close to {branch}.",
          "I have been a reader for {n} years.", "My card is in the other coat.",
          "I tried to phone but nobody answered.", "I work late, so I can only come {when}.",
          "The {item} about {subject} was wonderful, by the way.",
          "I brought back {n} {items} {past}.", "The computer at the desk was busy.",
          "I looked on your website first.", "{who} and I borrow a lot from you.",
          "We met in the small room upstairs.", "I already paid for the copies.",
          "Sorry to bother you again.", "The person at the desk told me to write."]

REQUESTS = {
    "loans": [
        "Can I renew the {item} about {subject}?",
        "Please extend my {n} {items} by {n} weeks.",
        "I would like to keep the {item} a little longer.",
        "How long may I keep a {item}?",
        "I can not bring back the {items} before {day}, can you renew them?",
        "The {item} is due {when} and I have not finished it.",
        "How many {items} may {who} borrow at once?",
        "Can someone else return my {items} for me?",
        "Where can I drop off {items} when you are closed?",
        "My loan ends {when}, may I extend it once more?",
        "I returned the {item} {past} but it is still on my list of loans.",
        "Is it possible to borrow the {item} for {n} weeks?",
        "Renewing online does not work for one {item}, somebody seems to wait for it.",
        "What is the loan period for {items}?",
        "Please prolong everything I have out until {day}.",
    ],
    "fines": [
        "Why do I have to pay {sum}?",
        "I got a reminder about a fee of {sum} for the {item}.",
        "How much is the fine when a {item} is {n} days late?",
        "Can I pay what I owe {when} at the desk?",
        "I paid the {sum} {past} but your letter says it is still open.",
        "{who} lost a {item}, what does it cost to replace it?",
        "The {item} got wet, do I have to pay for it?",
        "Please cancel the late fee, I returned the {items} on time.",
        "Your letter says I owe {sum}, that must be a mistake.",
        "Do you take cards for fines or only cash?",
        "Is there a fee when {who} is late with {n} {items}?",
        "I never borrowed this {item} and still get a bill of {sum}.",
        "May I pay the charges in {n} parts?",
        "The reminder came {n} days after I brought everything back, must I pay?",
    ],
    "hours": [
        "Are you open {when}?",
        "When does {branch} close {when}?",
        "What are the opening hours {when}?",
        "Is {branch} open on {day}?",
        "From what time can I come in {when}?",
        "How late are you there on {day}?",
        "Will {branch} be closed over the holidays?",
        "Is someone at the desk {when}?",
        "I stood before a locked door on {day}, have your hours changed?",
        "Do you open earlier {when}?",
        "Until when can {who} stay on {day}?",
        "Your page says {n} o'clock but the sign at {branch} says {n}, which is right?",
        "Is {branch} closed {when}?",
    ],
    "card": [
        "How do I get a library card?",
        "I lost my card, what shall I do?",
        "My card expires {when}, how can I prolong it?",
        "Can {who} use my card?",
        "I would like to sign up {who} as a reader.",
        "What do I need to bring to become a member?",
        "I have moved, please change my address.",
        "Please block my card, it was stolen {past}.",
        "From what age can children have their own card?",
        "I forgot the PIN of my account.",
        "My account is locked and I can not log in.",
        "What does a membership cost per year?",
        "Is the card free for {who}?",
        "I want to end my membership {when}.",
        "My name has changed, does the card have to be new?",
        "Can I register online or do I have to come to {branch}?",
    ],
    "catalogue": [
        "Do you have a {item} by {author}?",
        "I am looking for {items} about {subject}.",
        "Where do I find {subject} on the shelves?",
        "Could you order the new {item} by {author}?",
        "The catalogue says the {item} is at {branch}, but it is not on the shelf.",
        "Can you reserve the {item} about {subject} for me?",
        "Is the {item} by {author} available {when}?",
        "I do not remember the title, it is a {item} about {subject}.",
        "Which {items} on {subject} are good for children?",
        "How can I put a hold on a {item} that is out?",
        "Can you get a {item} on {subject} from another library?",
        "Do you also have {author} in English?",
        "I search for an old {item} about {subject}, maybe by {author}.",
        "Please buy more {items} about {subject}.",
        "Has the {item} I reserved come in?",
    ],
    "rooms": [
        "I would like to book a room for {who} {when}.",
        "Is the small meeting room free {when}?",
        "How many people fit into the study room?",
        "Can {who} meet at {branch} {when}?",
        "We need a quiet room for {n} people.",
        "Please cancel our room on {day}.",
        "Does the hall have a projector and a piano?",
        "What does it cost to rent the hall for {n} hours?",
        "Can I reserve a desk in the reading room {when}?",
        "Is there a place where {who} can work undisturbed {when}?",
        "We are {n} people and look for a table to study together.",
        "May we bring food into the group room?",
        "How early do I have to book the room for {who}?",
        "The group room we booked for {day} was taken, what now?",
    ],
    "computers": [
        "How do I connect my {device} to the wifi?",
        "The wifi at {branch} does not work on my {device}.",
        "Can I print from my {device}?",
        "What does a page cost at the printer?",
        "How do I read e-books on a {device}?",
        "The app does not open on my {device}.",
        "Is there a scanner at {branch}?",
        "I can not download the {item} to my {device}.",
        "Can {who} use a computer {when}?",
        "The website shows an error when I log in.",
        "Do I have to book the computers or can I just come?",
        "My {device} does not find the printer.",
        "Is there a socket for my {device} in the reading room?",
        "The internet was very slow {past}.",
        "Can someone show {who} how to use the e-book {device}?",
        "Which password do I need for the wifi?",
    ],
}

# Requests that fit two labels; they occur with both.
UNCLEAR = [
    ("Can you extend it?", ("loans", "card")), ("How much is it for {who}?", ("fines", "card")),
    ("Can I come {when}?", ("hours", "rooms")), ("It does not work.", ("computers", "card")),
    ("Can I reserve it for {day}?", ("catalogue", "rooms")),
    ("I can not log in.", ("card", "computers")), ("What do I owe?", ("fines", "loans")),
    ("It is not there.", ("catalogue", "loans")), ("Is it free {when}?", ("rooms", "hours")),
    ("What does it cost?", ("fines", "rooms")), ("I can not find it.", ("catalogue", "computers")),
]


def expand(rng, text):
    """Replaces all {names}, also nested ones; a sentence begins with a capital."""
    while "{" in text:
        text = re.sub(r"\{(\w+)\}", lambda m: rng.choice(WORDS[m[1]]), text)
    text = re.sub(r"\ba (?=[aeiouAEIOU])", "an ", text)
    return text[0].upper() + text[1:]


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


def message(rng, label):
    request = rng.choice(REQUESTS[label])
    if rng.random() < 0.07:
        request = rng.choice([text for text, labels in UNCLEAR if label in labels])
    parts = []
    if rng.random() < 0.45:
        parts.append(rng.choice(GREETINGS))
    if rng.random() < 0.40:
        parts.append(expand(rng, rng.choice(ASIDES)))
    parts.append(expand(rng, request))
    if parts[0] in GREETINGS and not parts[1].startswith("I "):
        parts[1] = parts[1][0].lower() + parts[1][1:]
    if rng.random() < 0.40:
        parts.append(expand(rng, rng.choice(TAILS)))
    words = " ".join(parts).split(" ")
    words = [mistype(rng, w) if rng.random() < 0.03 else w for w in words]
    text = " ".join(words)
    return text.lower() if rng.random() < 0.15 else text


# In calls some things have other names, and some words other meanings: a card is for paying, and the
# library card is a ticket.
SPOKEN = {"card": "ticket", "account": "number", "fee": "penalty", "fine": "penalty", "fines": "penalties",
          "pay": "settle", "paid": "settled", "charges": "penalties", "bill": "invoice",
          "renew": "keep", "extend": "keep", "prolong": "keep", "loan": "time", "borrow": "take home",
          "reserve": "put aside", "hold": "note", "catalogue": "list", "printer": "copier",
          "print": "copy", "wifi": "internet", "computer": "machine", "computers": "machines",
          "room": "place", "book": "arrange", "open": "there", "closed": "shut", "close": "shut"}
PAID = ["i have my card here", "can i do it by card", "you took my card the last time"]
FILLERS = ["um", "er", "well", "you know", "so", "listen", "right"]


def spoken(rng, label):
    """A message as it would be spoken: no capitals or punctuation, other words, many hesitations."""
    text = re.sub(r"[^a-z0-9' .]", "", message(rng, label).lower()).replace(".", "")
    words = []
    for word in text.split():
        if rng.random() < 0.12:
            words.append(rng.choice(FILLERS))
        words.append(SPOKEN.get(word, word) if rng.random() < 0.8 else word)
        if rng.random() < 0.04:
            words.append(words[-1])
    if rng.random() < (0.5 if label == "fines" else 0.05):
        words += rng.choice(PAID).split()
    return " ".join(words)


def write(path, lines):
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def distinct(rng, make, count):
    """`count` distinct lines."""
    seen, lines = set(), []
    while len(lines) < count:
        label = rng.choice(sorted(REQUESTS))
        text = make(rng, label)
        if text not in seen:  # no line is in both the training and the test set
            seen.add(text)
            lines.append(f"{label}\t{text}\n")
    return lines


def main():
    here = pathlib.Path(__file__).parent
    lines = distinct(random.Random(SEED), message, TRAIN + TEST)
    write(here / "train.txt", lines[:TRAIN])
    write(here / "test.txt", lines[TRAIN:])
    calls = distinct(random.Random(SEED + 1), spoken, CALLS + CALLS_TEST)
    write(here / "calls.txt", calls[:CALLS])
    write(here / "calls_test.txt", calls[CALLS:])


if __name__ == "__main__":
    main()
