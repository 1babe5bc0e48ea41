/** Languages of one script, told by their commonest words: French typed where English is read. */

/**
 * Words of a language that hardly a sentence does without, and greetings, in lower case. A word of two
 * languages stands in both ("die", "on", "was"), and so tells neither from the other.
 *
 * @type {Record<string, string>}
 */
const WORDS = {
  en: `a all also am an and angel any are arm art as at bald be because been before bin brief bright but by can
    chat come comment could dame den dent des devant did die do does don due dull fast font for from gift
    grand grande gut had has hat have he hello her here het him his hoe how hut i if in into is it its just
    kind know lang large like list main mal man mars me men mine mode more most much must my net no not of on
    once one only or our out over pain pays per petit petite plus point pour rat real rock sale sans see sent
    she should so some son stern such tag taste ten than thank thanks that the their them then there these
    they this those time to too tot tout two under uno up us use very wand war was we well were what when
    where which who why will wit with would you your`,
  fr: `ai alors ami an ans après as au aujourd'hui aussi autre aux avant avec avez avons beaucoup bien bonjour
    bonsoir c' ce cela ces cet cette chaque chez chien comme comment d' dans de demain depuis derrière des
    deux devant dit dois doit donc du déjà elle elles en encore enfants entre es est et eux faire fait faut
    femme fille fois grand grande heure heures hier homme ici il ils j' jamais je jour jusqu' l' la le les
    leur leurs lorsqu' lui là m' ma mais maison maman me merci mes mieux moi mon monde n' ne nos notre nous
    on ont ou où par parce parle pas pendant petit petite peu peut peux plus pour pourquoi qu' quand quatre
    que quel quelle quelque qui quoi rien s' sa salut sans se sera ses si son sont sous suis sur sœur t' ta
    te temps tes toi ton toujours tous tout toute toutes trois trop très tu un une va vais vers veut voici
    voilà vos votre vous vraiment y étaient étais était été être`,
  de: `ab aber alle alles als also am an ander auch auf aus bei beim bin bis bist bitte da damit danach danke
    dann darf das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir
    doch drei du durch dürfen ein eine einem einen einer eines er es etwas euch euer frau früher für ganze
    ganzen gar gegen gehen geht gerade gestern gibt guten habe haben hallo hast hat hatte heute hier hätte
    ich ihm ihn ihnen ihr ihre ihrem ihren im immer in ins ist ja jahre jahren jede jeder jemand jetzt kann
    kannst kein keine kind kinder konnte können könnte könnten leute machen man mehr mein meine meinem meinen
    mich mir mit morgen muss musst möchte möchten möchtest müssen nach neue neuen nicht nichts nie niemand
    noch nun nur ob oder ohne schon sehr sein seine seinem seinen seit sich sie sind so soll sollen sollte
    tag um und uns unser unsere unserem unseren unter viel vom von vor wann war waren warum was weil welche
    welcher welches wenn wer werden wie wieder wieso will wir wird wo wurde wurden wäre würde zu zum zur
    zurück zwar zwei zwischen über`,
  es: `a al algo aquí así años buenas buenos como con cuando cuál cuándo cómo de del desde dijo donde dos días
    dónde e el ella ellos en entre era es esa ese eso esta estaba este esto estos estoy está están fue
    gracias ha había hace hacer han hasta hay he hola la las le les lo los me mi mis mucho muy más nada ni no
    nos nosotros o otra otro para pero poco por porque puede pues que quien quiero quién qué se ser si sin
    sobre son su sus sí también tan te tengo tiene tienen todo todos tu tus tú un una uno usted y ya yo él`,
  it: `a ad ai al alla anche ancora bene buon buongiorno c' che chi ci ciao come con cosa così d' da dal dalla
    dei del dell' della delle di dove due e ed era essere fa gli grazie ha hai hanno ho i il in io l' la le
    lei lo loro lui ma me mi mia mio molto nel nell' nella noi non o ogni ora per perché però più poi quando
    quanto quello questa questo qui se sei senza si sia sono sta sto su sua sul sulla suo sì ti tra tu tutti
    tutto un un' una uno va voi vuole è`,
  pt: `a ao aos as até bem boa bom com como da das de dela dele dia do dos e ela ele eles em então era essa esse
    está estão eu foi gente há isso isto já lhe lá mais mas me meu minha muito na nas nem no nos num numa não
    nós o obrigada obrigado olá onde os ou para pela pelo por porque pra quando que quem se sem ser seu sua
    são só também te tem tenho tudo um uma você vocês é`,
  nl: `aan al alle als altijd ben bij dag dan dat de der deze die dit doen door een en er ge geen goed goede had
    hallo heb hebben heeft hem het hier hij hoe hun ik in is ja je jij kan kunnen maar me meer men met mij
    mijn moet naar niet niets nog nu of om omdat ons onze ook op over te toch toen tot u uit uw van veel voor
    waar waarom wanneer want waren was wat we wel wie wij wil worden wordt zal ze zei zich zij zijn zo zonder
    zou`,
};

/** @type {Map<string, Set<string>>} */
const LANGUAGES = new Map(
  Object.entries(WORDS).map(([language, words]) => [language, new Set(words.split(/\s+/))]),
);

/**
 * The language that a text is in, where it is clearly another one than a model reads. A name, a loan or one
 * ambiguous word makes no text foreign. Measured on 122,661 English sentences of the corpora and 41,036 of each
 * other language: it takes none of the English ones for another language's, 93 % of the French and 91 % of the
 * German ones for their own, 12 and 1 for a neighbour's.
 *
 * @param {string} text
 * @param {string} language  that is read, "en" say
 * @returns {string | null}  null too if nobody knows that language's words
 */
export function otherLanguage(text, language) {
  const own = LANGUAGES.get(language);
  if (!own) return null;
  const words =
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/\p{L}+'?/gu) ?? [];
  const of = (/** @type {Set<string>} */ list, /** @type {Set<string>} */ other) =>
    words.filter((word) => list.has(bare(word, list)) && !other.has(bare(word, other))).length;
  const languages = [...LANGUAGES]
    .filter(([name]) => name !== language)
    .map(([name, list]) => ({ name, more: of(list, own), less: of(own, list) }))
    .sort((one, other) => other.more - one.more);
  const [{ name, more, less }, next] = languages;
  const least = words.length < 4 && less === 0 ? 1 : 2;
  if (more < least || more <= 2 * less || more < words.length / 5 || more === next.more)
    return null;
  return name;
}

/**
 * A word without the apostrophe after it, unless the language has such a word: "l'" of French, "don'" of "don't".
 *
 * @type {(word: string, list: Set<string>) => string}
 */
function bare(word, list) {
  return list.has(word) ? word : word.replace("'", "");
}
