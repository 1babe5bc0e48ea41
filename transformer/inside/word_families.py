"""Words that can stand in one another's place in a sentence, by hand: no embedding tells so much.

Words that a model has learnt to take alike are often of different kinds ("new" and "groom", of
what one buys); a sentence that nobody would write shows what its oddness does, not the word.
"""

from functools import cache

_ENGLISH = """
father mother brother sister uncle aunt grandfather grandmother husband wife son daughter
boy girl man woman
teacher student doctor nurse farmer driver
cat dog bird horse rabbit
computer phone camera watch bicycle car book
flower tree
new old big small cheap expensive
red blue green white black yellow
bed chair table sofa floor
station airport hospital school library museum
today yesterday tomorrow
morning evening afternoon
he she
him her
his my your our
I you we they
one two three four five six seven eight nine ten
bought sold found stole
saw met visited called
loves hates knows
sleeping eating reading singing crying
tea coffee milk water juice
apple orange banana
bread rice meat fish
happy sad tired angry
hot cold
summer winter spring autumn
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
Tom Mary John
"""

_CHINESE = """
爸爸 妈妈 哥哥 姐姐 弟弟 妹妹 爷爷 奶奶
老师 学生 医生 护士 司机
我 你 他 她 我们 他们
猫 狗 鸟 马
电脑 手机 相机 手表 自行车 汽车 书
昨天 今天 明天 昨晚 去年 今年
车站 火车站 机场 医院 学校 超市 图书馆 动物园
我在 你在 他在 她在
老朋友 好朋友
红 蓝 绿 白 黑 黄
新 旧 大 小
茶 咖啡 牛奶 水
床上 桌上 枕头
早上 晚上 下午
夏天 冬天 春天 秋天
汤姆 玛丽
"""

_FAMILIES = tuple(line.split() for text in (_ENGLISH, _CHINESE) for line in text.split("\n"))


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    families: dict[str, tuple[str, ...]] = {}
    for family in _FAMILIES:
        for word in family:
            families[word] = (
                *families.get(word, ()),
                *(other for other in family if other != word),
            )
    return families


def relatives(word: str, *, spelled: bool = False) -> tuple[str, ...]:
    """Words for one that is written so, or with a capital.

    Args:
        word: as it stands in a sentence.
        spelled: it is a letter of a text that is spelled: any other one will do.
    """
    if spelled and len(word) == 1 and word.isascii() and word.islower():
        return tuple(chr(code) for code in range(ord("a"), ord("z") + 1) if chr(code) != word)
    families = _by_word()
    if word in families:
        return families[word]
    lowered = word[:1].lower() + word[1:]
    return tuple(other[:1].upper() + other[1:] for other in families.get(lowered, ()))
