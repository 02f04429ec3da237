"""What the user says: plans of conversations, drawn at random from templates, with the right words where
they are known.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from training.chat import facts

HELD_OUT_FILE = Path(__file__).parent / "data" / "held_out_prompts.sha256"


@dataclass(frozen=True)
class UserTurn:
    """A user's words; a right answer holds one of `answers` (lower case, any if empty)."""

    text: str
    answers: tuple[str, ...] = ()
    temperature: float = 0.6


@dataclass(frozen=True)
class Plan:
    """A conversation before the assistant has said anything."""

    kind: str
    system: str
    turns: tuple[UserTurn, ...]


FRIEND_SYSTEM_PROMPTS = (
    "You are a friendly companion. You answer in one or two short, simple sentences.",
    "You are a kind friend. Answer briefly, in plain words.",
    "You live inside a small game console. You chat in short, clear sentences.",
    "You are talking with a good friend. Keep every answer short and simple.",
    "You are a good listener and a warm friend. Reply with one or two sentences.",
)
FACT_SYSTEM_PROMPTS = (
    "Answer correctly and briefly. One or two sentences are enough.",
    "You are a patient teacher. Explain things in one or two easy sentences.",
    "Give a short, correct answer in everyday English.",
    "You know many things. Answer in one plain sentence.",
)
STORY_SYSTEM_PROMPTS = (
    "You tell very short stories. Three or four simple sentences are enough.",
    "You are a kind storyteller. Your stories have three short sentences and a happy end.",
)

NAMES = [
    "Tom",
    "Lily",
    "Ben",
    "Mia",
    "Sam",
    "Zoe",
    "Leo",
    "Eva",
    "Max",
    "Ada",
    "Jack",
    "Nora",
    "Finn",
    "Rosa",
    "Omar",
    "Paul",
    "Clara",
    "Hugo",
    "Ines",
    "David",
    "Emma",
    "Lucas",
    "Sara",
    "Peter",
    "Alice",
    "Henry",
    "Julia",
    "Oscar",
    "Ella",
    "George",
    "Maria",
    "Daniel",
    "Sofia",
    "James",
    "Laura",
    "Adam",
    "Lucy",
    "Simon",
    "Kate",
    "Oliver",
    "Grace",
    "Mark",
    "Helen",
    "Robert",
    "Jane",
    "William",
    "Ruby",
    "Victor",
    "Amy",
    "Carlos",
    "Nina",
    "Martin",
    "Rose",
    "Alex",
    "Chloe",
    "Ivan",
    "Lena",
    "Tim",
    "Molly",
    "Fred",
]
ANIMALS = [
    "dog",
    "cat",
    "horse",
    "rabbit",
    "bear",
    "fox",
    "bird",
    "fish",
    "lion",
    "mouse",
    "frog",
    "elephant",
    "owl",
    "duck",
    "turtle",
    "dragon",
    "wolf",
    "bee",
    "penguin",
    "whale",
    "monkey",
    "squirrel",
    "hedgehog",
    "goat",
    "pig",
    "sheep",
    "tiger",
    "dolphin",
    "parrot",
    "snail",
    "butterfly",
    "crow",
    "donkey",
    "hamster",
    "kitten",
    "puppy",
]
TOPICS = [
    "rain",
    "snow",
    "the stars",
    "summer",
    "winter",
    "spring",
    "autumn",
    "music",
    "food",
    "books",
    "games",
    "school",
    "friendship",
    "trees",
    "mountains",
    "rivers",
    "the ocean",
    "flowers",
    "bread",
    "apples",
    "cheese",
    "tea",
    "coffee",
    "football",
    "chess",
    "space",
    "robots",
    "computers",
    "dreams",
    "history",
    "science",
    "math",
    "art",
    "dancing",
    "travel",
    "trains",
    "cars",
    "planes",
    "boats",
    "bees",
    "cows",
    "family",
    "happiness",
    "fire",
    "water",
    "ice",
    "wind",
    "gold",
    "the night",
    "the city",
    "gardens",
    "the forest",
    "the desert",
    "the beach",
    "video games",
    "movies",
    "painting",
    "cooking",
    "birthdays",
    "holidays",
    "teeth",
    "bones",
    "clouds",
    "thunder",
    "rainbows",
    "bridges",
    "castles",
    "islands",
    "shadows",
    "mirrors",
    "clocks",
    "maps",
    "shoes",
    "pizza",
    "soup",
    "chocolate",
    "ice cream",
    "swimming",
    "cycling",
    "camping",
    "fishing",
    "singing",
    "reading",
    "sleep",
    "dinosaurs",
    "volcanoes",
    "the moon",
    "honey",
    "rice",
    "eggs",
]
THINGS = [
    "a book",
    "a map",
    "a clock",
    "a bridge",
    "a rainbow",
    "a volcano",
    "a river",
    "an island",
    "a desert",
    "a planet",
    "a star",
    "a comet",
    "a magnet",
    "a battery",
    "a telephone",
    "a camera",
    "a train",
    "an engine",
    "a robot",
    "a piano",
    "a poem",
    "a novel",
    "a doctor",
    "a farmer",
    "a pilot",
    "a museum",
    "a library",
    "a market",
    "a hospital",
    "a village",
    "a city",
    "a country",
    "a king",
    "a queen",
    "a friend",
    "a family",
    "a holiday",
    "a birthday",
    "a seed",
    "a forest",
    "a cloud",
    "a storm",
    "an earthquake",
    "a shadow",
    "a mirror",
    "a lamp",
    "a wheel",
    "a knife",
    "a sandwich",
    "a salad",
    "a cake",
]
CHARACTERS = [
    "a doctor",
    "a teacher",
    "a farmer",
    "a king",
    "a queen",
    "a princess",
    "a pirate",
    "a knight",
    "a little girl",
    "a little boy",
    "a robot",
    "a baker",
    "a painter",
    "a sailor",
    "a wizard",
    "a small train",
    "an old man",
    "two friends",
    "a brave mouse",
    "a lonely star",
    "a tiny boat",
    "a lost dog",
    "a singing tree",
    "a lost sock",
    "a kind giant",
    "a shy dragon",
    "a clever fox",
    "a hungry bear",
    "a sleepy owl",
    "a snowman",
    "a magic hat",
    "a red balloon",
    "a family at the beach",
    "a grandmother",
    "a cat who can talk",
    "a boy who finds a key",
    "a girl who loves the rain",
]
PLACES = [
    "the park",
    "the beach",
    "school",
    "the zoo",
    "the library",
    "the market",
    "my grandmother's house",
    "the cinema",
    "the lake",
    "a museum",
]
FOODS = [
    "pancakes",
    "rice",
    "soup",
    "an omelette",
    "a salad",
    "pasta",
    "toast",
    "a sandwich",
    "lemonade",
    "hot chocolate",
    "pizza",
    "a cake",
    "coffee",
    "scrambled eggs",
]
SKILLS = [
    "draw a cat",
    "ride a bike",
    "learn a new language",
    "make new friends",
    "plant a tree",
    "wash my hands",
    "tie my shoes",
    "write a letter",
    "clean my room",
    "save money",
    "wake up early",
    "stay calm",
    "study for a test",
    "grow tomatoes",
    "take care of a dog",
    "paint a picture",
    "learn to swim",
    "be a good friend",
    "say sorry",
    "eat healthy food",
    "get more exercise",
    "pack a bag",
    "stop being late",
    "read faster",
    "make a paper plane",
    "boil an egg",
    "feed a cat",
    "keep plants alive",
    "sing better",
    "build a sand castle",
]
FEELINGS = [
    "happy",
    "bored",
    "tired",
    "lonely",
    "angry",
    "excited",
    "nervous",
    "hungry",
    "sick",
    "worried",
    "proud",
    "cold",
    "scared",
    "confused",
    "great",
    "thirsty",
]
TROUBLES = [
    "I had a bad day.",
    "I lost my keys.",
    "My friend is angry with me.",
    "I have a test tomorrow.",
    "I can't sleep.",
    "I broke a cup.",
    "My cat is sick.",
    "I miss my family.",
    "I am late for school.",
    "I forgot my homework.",
    "It is raining and I have no umbrella.",
    "My brother took my toy.",
    "I am afraid of the dark.",
    "I have a headache.",
    "Nobody wants to play with me.",
    "I lost the game.",
    "I don't know what to cook.",
    "I burned my dinner.",
    "My phone is broken.",
    "I have too much work.",
]
GOOD_NEWS = [
    "It is my birthday!",
    "I won a prize!",
    "I got a new puppy.",
    "I passed my test!",
    "I learned to swim today.",
    "I made a cake.",
    "My sister had a baby.",
    "I found a coin.",
    "We are going on a trip.",
    "I planted a tree.",
    "I finished my book.",
    "It is snowing!",
    "I have a new friend.",
    "I got a new job.",
    "The sun is shining today.",
    "I cleaned my whole room.",
    "We have a new teacher.",
]
SMALL_TALK = [
    "What are you doing?",
    "What do you like to do?",
    "What is your name?",
    "Who are you?",
    "What can you do?",
    "Can you help me?",
    "Where do you live?",
    "How old are you?",
    "Do you have friends?",
    "What makes you happy?",
    "What is a good hobby?",
    "What should I do today?",
    "What should I read?",
    "What should I draw?",
    "What should I eat for dinner?",
    "Let's talk.",
    "Let's play a game.",
    "Do you like music?",
    "What is your favorite color?",
    "What is your favorite animal?",
    "Do you sleep?",
    "Tell me something interesting.",
    "Tell me something funny.",
    "Give me some advice.",
    "Say something kind to me.",
    "What is a good name for a dog?",
    "What do you think about today's weather?",
    "Are you a robot?",
    "Can you count to five?",
    "Do you have feelings?",
    "Ask me a question.",
    "How can I be kind?",
    "Do you know any riddles?",
    "Make me laugh.",
    "Cheer me up.",
    "What is the best season?",
    "What do you want to talk about?",
    "Can we be friends?",
    "Do you like games?",
    "Surprise me.",
]
GREETINGS = [
    "Hello!",
    "Hi!",
    "Hey!",
    "Hi there!",
    "Good morning!",
    "Good evening!",
    "Good afternoon!",
    "Hello, how are you?",
    "How are you?",
    "How is it going?",
    "What's up?",
    "Hello there, friend!",
    "Nice to meet you.",
    "How have you been?",
    "Hi, are you there?",
    "Good night!",
    "Hey, how are you doing?",
    "Hello again!",
    "Hi, can we talk?",
    "How do you do?",
]
FAREWELLS = [
    "Bye!",
    "See you later!",
    "I have to go now.",
    "Good night!",
    "Thanks, bye!",
    "Talk to you soon.",
    "See you tomorrow!",
    "That is all, thank you.",
]
THANKS = [
    "Thank you!",
    "Thanks!",
    "Thanks a lot.",
    "Great, thank you.",
    "That helps, thanks.",
    "Thank you, my friend.",
]
REACTIONS = [
    "Why?",
    "Tell me more.",
    "Really?",
    "That is nice.",
    "Can you say it in a simpler way?",
    "I like that.",
    "Give me another one.",
    "How do you know?",
    "Ok. What else?",
    "Are you sure?",
    "What do you think?",
    "Can you explain?",
    "That is funny!",
    "I don't understand.",
    "Say it in one sentence.",
    "Interesting! Go on.",
    "Can you give an example?",
    "And why is that important?",
]
STORY_REACTIONS = [
    "What happened next?",
    "And then?",
    "How does it end?",
    "Was it a happy ending?",
    "Why did that happen?",
    "Tell me another story.",
    "What a nice story! Who was your favorite?",
    "Can you make it funnier?",
    "What can we learn from it?",
    "Give the story a title.",
]
WHY_QUESTIONS = [
    "Why do birds sing?",
    "Why is grass green?",
    "Why do we sleep?",
    "Why do leaves fall?",
    "How do planes fly?",
    "Why does it rain?",
    "Why do cats purr?",
    "Why is the sea salty?",
    "Why do we eat?",
    "Why do dogs bark?",
    "How do fish breathe?",
    "Why do we have bones?",
    "Why do people laugh?",
    "How does a plant grow?",
    "Why is the sun bright?",
    "Why do we need water?",
    "How do magnets work?",
    "Why do stars twinkle?",
    "How is snow made?",
    "Why do we go to school?",
    "Why do bees like flowers?",
    "Why do we dream?",
    "How does a boat float?",
    "Why does ice melt?",
    "Why do we wear clothes?",
    "How do birds fly?",
    "Why do we say thank you?",
    "Why does the moon change its shape?",
    "What makes thunder?",
    "How do spiders make webs?",
    "Why do onions make us cry?",
]


def forbidden_key(text: str) -> str:
    """Digest of a prompt without case, spaces and punctuation."""
    return hashlib.sha256(re.sub(r"[^a-z0-9]", "", text.lower()).encode()).hexdigest()


def load_held_out() -> frozenset[str]:
    """Digests of the prompts kept for evaluation, which must never be trained on."""
    return frozenset(HELD_OUT_FILE.read_text().split())


def _alternatives(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


def _number(value: int) -> tuple[str, ...]:
    return (str(value), facts.NUMBER_WORDS[value]) if value < len(facts.NUMBER_WORDS) else (str(value),)


def _fact(text: str, answers: Sequence[str]) -> UserTurn:
    return UserTurn(text, tuple(answer.lower() for answer in answers), temperature=0.2)


def _capital(rng: Random) -> UserTurn:
    country = rng.choice(list(facts.CAPITALS))
    template = rng.choice(
        [
            "What is the capital of {}?",
            "What is the capital city of {}?",
            "Which city is the capital of {}?",
            "Tell me the capital of {}.",
            "Do you know the capital of {}?",
            "Name the capital of {}.",
        ]
    )
    return _fact(template.format(country), (facts.CAPITALS[country],))


def _country_fact(rng: Random) -> UserTurn:
    if rng.random() < 0.3:
        country = rng.choice(list(facts.CAPITALS))
        capital = facts.CAPITALS[country]
        if capital.isalpha() and capital not in ("Bras", "Reykjav"):
            return _fact(f"In which country is {capital}?", (country.removeprefix("the "),))
    if rng.random() < 0.5:
        country = rng.choice(list(facts.LANGUAGES))
        template = rng.choice(["What language do people speak in {}?", "Which language is spoken in {}?"])
        return _fact(template.format(country), _alternatives(facts.LANGUAGES[country]))
    country = rng.choice(list(facts.CONTINENTS))
    template = rng.choice(["On which continent is {}?", "What continent is {} in?"])
    return _fact(template.format(country), (facts.CONTINENTS[country],))


def _calendar(rng: Random) -> UserTurn:
    def neighbour(names: Sequence[str], what: str) -> UserTurn:
        index, step = rng.randrange(len(names)), rng.choice([1, -1])
        word = "after" if step == 1 else "before"
        name = names[index].split("|")[0]
        answers = _alternatives(names[(index + step) % len(names)])
        return _fact(
            rng.choice([f"What {what} comes {word} {name}?", f"Which {what} is {word} {name}?"]), answers
        )

    def numbered_month() -> UserTurn:
        index = rng.randrange(12)
        return _fact(f"What is the {facts.ORDINALS[index]} month?", (facts.MONTHS[index],))

    return rng.choice(
        [
            lambda: neighbour(facts.MONTHS, "month"),
            lambda: neighbour(facts.WEEKDAYS, "day"),
            lambda: neighbour(facts.SEASONS, "season"),
            numbered_month,
        ]
    )()


def _arithmetic(rng: Random) -> UserTurn:
    first, second = rng.randint(1, 10), rng.randint(1, 10)
    total = first + second

    def words(value: int) -> str:
        return facts.NUMBER_WORDS[value]

    return rng.choice(
        [
            lambda: _fact(f"What is {first}+{second}?", _number(total)),
            lambda: _fact(f"What is {first} plus {second}?", _number(total)),
            lambda: _fact(f"How much is {words(first)} plus {words(second)}?", _number(total)),
            lambda: _fact(f"What is {total} minus {second}?", _number(first)),
            lambda: _fact(f"What number comes after {total}?", _number(total + 1)),
            lambda: _fact(
                f"I have {first} apples and get {second} more. How many do I have?", _number(total)
            ),
            lambda: _fact(f"What is two times {words(first)}?", _number(2 * first)),
        ]
    )()


def _animal_fact(rng: Random) -> UserTurn:
    def sound() -> UserTurn:
        animal = rng.choice(list(facts.ANIMAL_SOUNDS))
        template = rng.choice(["What sound does a {} make?", "What does a {} say?"])
        return _fact(template.format(animal), _alternatives(facts.ANIMAL_SOUNDS[animal]))

    def food() -> UserTurn:
        animal = rng.choice(list(facts.ANIMAL_FOOD))
        return _fact(
            rng.choice([f"What do {animal} eat?", f"What do {animal} like to eat?"]),
            _alternatives(facts.ANIMAL_FOOD[animal]),
        )

    def home() -> UserTurn:
        animal = rng.choice(list(facts.ANIMAL_HOMES))
        return _fact(
            rng.choice([f"Where do {animal} live?", f"Where can I find {animal}?"]),
            _alternatives(facts.ANIMAL_HOMES[animal]),
        )

    def baby() -> UserTurn:
        animal = rng.choice(list(facts.BABIES))
        return _fact(f"What is a baby {animal} called?", _alternatives(facts.BABIES[animal]))

    def legs() -> UserTurn:
        animal = rng.choice(list(facts.LEGS))
        answers = ("no legs", "0", "zero") if facts.LEGS[animal] == 0 else _number(facts.LEGS[animal])
        return _fact(f"How many legs does a {animal} have?", answers)

    return rng.choice([sound, food, home, baby, legs])()


def _simple_fact(rng: Random) -> UserTurn:
    def opposite() -> UserTurn:
        word = rng.choice(list(facts.OPPOSITES))
        return _fact(
            rng.choice([f"What is the opposite of {word}?", f"What is the opposite of the word {word}?"]),
            _alternatives(facts.OPPOSITES[word]),
        )

    def colour() -> UserTurn:
        thing = rng.choice(list(facts.COLOURS))
        return _fact(
            rng.choice([f"What color is {thing}?", f"What is the color of {thing}?"]),
            _alternatives(facts.COLOURS[thing]),
        )

    def count() -> UserTurn:
        question = rng.choice(list(facts.COUNTS))
        return _fact(question, _alternatives(facts.COUNTS[question]))

    def plain() -> UserTurn:
        question = rng.choice(list(facts.PLAIN_FACTS))
        return _fact(question, _alternatives(facts.PLAIN_FACTS[question]))

    def abroad() -> UserTurn:
        word, language = rng.choice(list(facts.GREETINGS_ABROAD))
        template = rng.choice(["How do you say {} in {}?", "What is the {1} word for {0}?"])
        return _fact(template.format(word, language), _alternatives(facts.GREETINGS_ABROAD[word, language]))

    def members() -> UserTurn:
        group = rng.choice(list(facts.MEMBERS))
        number = rng.choice(["two", "three", "four"])
        template = rng.choice(["Name {} {}.", "Tell me {} {}.", "Give me {} {}."])
        return _fact(template.format(number, group), _alternatives(facts.MEMBERS[group]))

    return rng.choice([opposite, colour, count, plain, plain, plain, abroad, members])()


FACT_KINDS: tuple[Callable[[Random], UserTurn], ...] = (
    _capital,
    _country_fact,
    _calendar,
    _arithmetic,
    _animal_fact,
    _simple_fact,
    _simple_fact,
)


def draw_fact(rng: Random) -> UserTurn:
    """A question of any kind whose right answers are known."""
    return rng.choice(FACT_KINDS)(rng)


def _greeting(rng: Random) -> list[UserTurn]:
    turns = [UserTurn(rng.choice(GREETINGS))]
    follow = rng.choice([SMALL_TALK, SMALL_TALK, GOOD_NEWS, TROUBLES])
    turns.append(UserTurn(rng.choice(follow)))
    turns.append(draw_fact(rng) if rng.random() < 0.4 else UserTurn(rng.choice(REACTIONS + THANKS)))
    turns.append(UserTurn(rng.choice(FAREWELLS)))
    return turns


def _name(rng: Random) -> list[UserTurn]:
    name = rng.choice(NAMES)
    start = rng.choice(
        [
            "My name is {}.",
            "Hello, my name is {}.",
            "Hi, I am {}.",
            "I'm {}. Nice to meet you!",
            "Call me {}.",
            "Hello! I am {}.",
        ]
    ).format(name)
    recall = _fact(
        rng.choice(["What is my name?", "Do you remember my name?", "Who am I?", "Can you say my name?"]),
        (name,),
    )
    middle = UserTurn(rng.choice(SMALL_TALK + GOOD_NEWS))
    return rng.choice(
        [
            [UserTurn(start), recall, middle],
            [UserTurn(start), middle, recall],
            [_fact(f"{start} What is my name?", (name,)), middle],
            [UserTurn(start), recall, UserTurn(rng.choice(FAREWELLS))],
        ]
    )


def _belongings(rng: Random) -> list[UserTurn]:
    """Something said once and asked back later."""
    animal, name, colour = (
        rng.choice(ANIMALS),
        rng.choice(NAMES),
        rng.choice(["red", "blue", "green", "yellow", "black", "white"]),
    )
    return rng.choice(
        [
            [
                UserTurn(f"I have a {animal} called {name}."),
                _fact(f"What is the name of my {animal}?", (name,)),
            ],
            [UserTurn(f"My favorite color is {colour}."), _fact("What is my favorite color?", (colour,))],
            [
                UserTurn(f"I live with my {animal}. Its name is {name}."),
                _fact("Who do I live with?", (name, animal)),
            ],
            [UserTurn(f"My brother is called {name}."), _fact("What is my brother's name?", (name,))],
            [UserTurn(f"I bought a {colour} hat today."), _fact("What color is my hat?", (colour,))],
            [UserTurn(f"I went to {rng.choice(PLACES)} with {name}."), _fact("Who was with me?", (name,))],
        ]
    )


def _facts(rng: Random) -> list[UserTurn]:
    turns = [draw_fact(rng)]
    while len(turns) < 4:
        turns.append(draw_fact(rng) if rng.random() < 0.75 else UserTurn(rng.choice(THANKS + REACTIONS)))
    return turns


def _same_facts(rng: Random) -> list[UserTurn]:
    kind = rng.choice(FACT_KINDS)
    return [kind(rng) for _ in range(4)]


def _story(rng: Random) -> list[UserTurn]:
    animal, name, character, topic = (
        rng.choice(ANIMALS),
        rng.choice(NAMES),
        rng.choice(CHARACTERS),
        rng.choice(TOPICS),
    )
    text = rng.choice(
        [
            f"Tell me a very short story about {character}.",
            f"Write a short story about {character} and a {animal}.",
            f"Tell me a bedtime story about {character}.",
            f"Tell me a story about a {animal} named {name}.",
            f"Tell me a short story about {topic}.",
            f"Can you tell me a little story about a {animal}?",
            f"Make up a story about {name} and the {animal}.",
            f"Once upon a time there was a {animal}. What happened?",
            f"Tell me a story with {name} in it.",
            f"I want to hear a story about {character}, please.",
        ]
    )
    return [
        UserTurn(text, temperature=0.7),
        UserTurn(rng.choice(STORY_REACTIONS), temperature=0.7),
        UserTurn(rng.choice(THANKS + FAREWELLS)),
    ]


def _talk_about(rng: Random) -> list[UserTurn]:
    topic, animal = rng.choice(TOPICS), rng.choice(ANIMALS)
    text = rng.choice(
        [
            f"Tell me about {topic}.",
            f"Why do people like {topic}?",
            f"Do you like {topic}?",
            f"Tell me a fact about {topic}.",
            f"I love {topic}!",
            f"I don't like {topic}.",
            f"What do you think about {topic}?",
            f"Say something about {topic}.",
            f"Tell me a fact about a {animal}.",
            f"I saw a {animal} today.",
            f"Can a {animal} swim?",
            f"How big is a {animal}?",
            f"Do you like {topic} or {rng.choice(TOPICS)}?",
            f"Is {topic} important?",
            f"My {animal} is hungry.",
            f"What is the best thing about {topic}?",
            f"Describe a {animal} in one sentence.",
            f"Describe {topic} in a few words.",
        ]
    )
    return [UserTurn(text), UserTurn(rng.choice(REACTIONS)), draw_fact(rng), UserTurn(rng.choice(THANKS))]


def _definition(rng: Random) -> list[UserTurn]:
    thing, other = rng.choice(THINGS), rng.choice(THINGS)
    text = rng.choice(
        [
            "What is {}?",
            "Explain what {} is.",
            "What is {} for?",
            "Can you tell me what {} is?",
            "Explain {} to a child.",
        ]
    )
    second = rng.choice(
        [f"And what is {other}?", "Why do people need it?", "Give me an example.", "Where can I see one?"]
    )
    return [
        UserTurn(text.format(thing), temperature=0.4),
        UserTurn(second, temperature=0.4),
        UserTurn(rng.choice(REACTIONS + THANKS)),
    ]


def _how_to(rng: Random) -> list[UserTurn]:
    text = rng.choice(
        [
            f"How do I make {rng.choice(FOODS)}?",
            f"How can I {rng.choice(SKILLS)}?",
            f"Help me {rng.choice(SKILLS)}.",
            f"What do I need to make {rng.choice(FOODS)}?",
            f"What is a good way to {rng.choice(SKILLS)}?",
            f"Give me one tip to {rng.choice(SKILLS)}.",
        ]
    )
    return [
        UserTurn(text, temperature=0.4),
        UserTurn(rng.choice(["What comes first?", "Is it hard?", "How long does it take?", *REACTIONS])),
        UserTurn(rng.choice(THANKS)),
    ]


def _why(rng: Random) -> list[UserTurn]:
    return [
        UserTurn(rng.choice(WHY_QUESTIONS), temperature=0.4),
        UserTurn(rng.choice(REACTIONS)),
        UserTurn(rng.choice(WHY_QUESTIONS), temperature=0.4),
    ]


def _feelings(rng: Random) -> list[UserTurn]:
    feeling = rng.choice(FEELINGS)
    text = rng.choice(
        [
            f"I am {feeling}.",
            f"I feel {feeling} today.",
            f"I am so {feeling}. What should I do?",
            f"My friend is {feeling}.",
            f"Why am I {feeling}?",
            rng.choice(TROUBLES),
            rng.choice(GOOD_NEWS),
            f"Are you {feeling}?",
            f"My mother is {feeling} today.",
            f"I will go to {rng.choice(PLACES)} tomorrow.",
            f"I went to {rng.choice(PLACES)} with {rng.choice(NAMES)}.",
        ]
    )
    follow = rng.choice(
        [
            "What should I do?",
            "What can I do now?",
            "Do you understand me?",
            "Say something nice to me.",
            *REACTIONS,
        ]
    )
    return [UserTurn(text), UserTurn(follow), UserTurn(rng.choice(THANKS)), UserTurn(rng.choice(FAREWELLS))]


def _small_talk(rng: Random) -> list[UserTurn]:
    return [UserTurn(text) for text in rng.sample(SMALL_TALK, 3)] + [UserTurn(rng.choice(FAREWELLS))]


def _writing(rng: Random) -> list[UserTurn]:
    topic = rng.choice(TOPICS)
    text = rng.choice(
        [
            f"Write a short poem about {topic}.",
            f"Write two short lines about {topic}.",
            f"Write one sentence about {topic}.",
            f"Tell me a joke about {topic}.",
            "Tell me a short joke.",
            f"Give me a riddle about {topic}.",
            f"Write a birthday wish for {rng.choice(NAMES)}.",
            f"Write a thank you note to {rng.choice(NAMES)}.",
            f"Make a sentence with the word {topic.split()[-1]}.",
            f"Give me a title for a story about {topic}.",
        ]
    )
    return [
        UserTurn(text, temperature=0.7),
        UserTurn(
            rng.choice(["Another one, please.", "I like it!", "Make it shorter.", *THANKS]), temperature=0.7
        ),
    ]


# Weight, generator and system prompts of each kind.
PLAN_KINDS: dict[str, tuple[float, Callable[[Random], list[UserTurn]], tuple[str, ...]]] = {
    "greeting": (1.3, _greeting, FRIEND_SYSTEM_PROMPTS),
    "name": (1.0, _name, FRIEND_SYSTEM_PROMPTS),
    "belongings": (0.6, _belongings, FRIEND_SYSTEM_PROMPTS),
    "facts": (2.5, _facts, FACT_SYSTEM_PROMPTS),
    "same_facts": (1.5, _same_facts, FACT_SYSTEM_PROMPTS),
    "story": (1.8, _story, STORY_SYSTEM_PROMPTS),
    "talk_about": (1.6, _talk_about, FRIEND_SYSTEM_PROMPTS),
    "definition": (1.0, _definition, FACT_SYSTEM_PROMPTS),
    "how_to": (0.9, _how_to, FACT_SYSTEM_PROMPTS),
    "why": (0.8, _why, FACT_SYSTEM_PROMPTS),
    "feelings": (1.2, _feelings, FRIEND_SYSTEM_PROMPTS),
    "small_talk": (1.0, _small_talk, FRIEND_SYSTEM_PROMPTS),
    "writing": (0.6, _writing, FRIEND_SYSTEM_PROMPTS),
}


def draw_plan(rng: Random, forbidden: frozenset[str]) -> Plan:
    """One conversation plan; none of its user turns is a held-out prompt."""
    kinds = list(PLAN_KINDS)
    while True:
        kind = rng.choices(kinds, weights=[PLAN_KINDS[one][0] for one in kinds])[0]
        turns = PLAN_KINDS[kind][1](rng)
        wanted = rng.choices([1, 2, 3, 4], weights=[2, 3, 3, 2])[0]
        if kind in ("name", "belongings"):
            wanted = max(wanted, 2)
        chosen = tuple(_restyle(rng, turn) for turn in turns[:wanted])
        if not any(forbidden_key(turn.text) in forbidden for turn in chosen):
            return Plan(kind, rng.choice(PLAN_KINDS[kind][2]), chosen)


def _restyle(rng: Random, turn: UserTurn) -> UserTurn:
    """Now and then people write in lower case, forget the full stop or say please."""
    text, luck = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", turn.text), rng.random()
    if luck < 0.06:
        text = text.lower()
    elif luck < 0.11 and text[-1] in ".?!":
        text = text[:-1]
    elif luck < 0.14 and text.endswith("?"):
        text = (
            f"{rng.choice(['Please tell me:', 'One question:', 'I want to know:', 'Quick question:'])} {text}"
        )
    return UserTurn(text, turn.answers, turn.temperature)
