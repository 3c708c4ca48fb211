package dbgen

import (
	"strconv"
	"strings"
)

// word is a repeated text, in a slot that is copied as a whole.
type word struct {
	text [32]byte
	size int
}

func newWord(s string) (w word) {
	w.size = copy(w.text[:], s)
	return w
}

// words splits a list at commas into words.
func words(list string) (ws []word) {
	for s := range strings.SplitSeq(list, ",") {
		ws = append(ws, newWord(s))
	}
	return ws
}

// combined returns all combinations of one part of each list; the last part changes fastest.
func combined(lists ...string) []word {
	all := []string{""}
	for _, list := range lists {
		var longer []string
		for _, begin := range all {
			for part := range strings.SplitSeq(list, ",") {
				longer = append(longer, strings.TrimPrefix(begin+" "+part, " "))
			}
		}
		all = longer
	}
	return words(strings.Join(all, ","))
}

// drawWord draws one of the words with equal probability.
func drawWord(s *stream, words []word) *word { return &words[s.draw(uint64(len(words)))] }

// The values that rows choose from (TPC-H 4.2.2.13), with equal probability.
var (
	segments     = words("AUTOMOBILE,BUILDING,FURNITURE,HOUSEHOLD,MACHINERY")
	priorities   = words("1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW")
	instructions = words("DELIVER IN PERSON,COLLECT COD,TAKE BACK RETURN,NONE")
	modes        = words("REG AIR,AIR,RAIL,TRUCK,MAIL,FOB,SHIP")

	partTypes = combined("STANDARD,SMALL,MEDIUM,LARGE,ECONOMY,PROMO",
		"ANODIZED,BURNISHED,PLATED,POLISHED,BRUSHED", "TIN,NICKEL,BRASS,STEEL,COPPER")
	containers = combined("SM,LG,MED,JUMBO,WRAP", "CASE,BOX,BAG,JAR,PACK,PKG,CAN,DRUM")
)

// colors are the words of part names (TPC-H 4.2.3).
var colors = words("almond,antique,aquamarine,azure,beige,bisque,black,blanched,blue,blush,brown,burlywood," +
	"burnished,chartreuse,chiffon,chocolate,coral,cornflower,cornsilk,cream,cyan,dark,deep,dim,dodger,drab," +
	"firebrick,floral,forest,frosted,gainsboro,ghost,goldenrod,green,grey,honeydew,hot,indian,ivory,khaki," +
	"lace,lavender,lawn,lemon,light,lime,linen,magenta,maroon,medium,metallic,midnight,mint,misty,moccasin," +
	"navajo,navy,olive,orange,orchid,pale,papaya,peach,peru,pink,plum,powder,puff,purple,red,rose,rosy,royal," +
	"saddle,salmon,sandy,seashell,sienna,sky,slate,smoke,snow,spring,steel,tan,thistle,tomato,turquoise," +
	"violet,wheat,white,yellow")

// regions are the rows of region, and nations those of nation with their regions (TPC-H 4.2.3).
var (
	regions = words("AFRICA,AMERICA,ASIA,EUROPE,MIDDLE EAST")
	nations = words("ALGERIA,ARGENTINA,BRAZIL,CANADA,EGYPT,ETHIOPIA,FRANCE,GERMANY,INDIA,INDONESIA,IRAN,IRAQ,JAPAN," +
		"JORDAN,KENYA,MOROCCO,MOZAMBIQUE,PERU,CHINA,ROMANIA,SAUDI ARABIA,VIETNAM,RUSSIA,UNITED KINGDOM,UNITED STATES")
	nationRegions = [...]int64{0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1}
)

// weighted is one of the lists that the text of comments is drawn from. It contains each entry as
// often as its weight says, so that drawing a place draws by weight (TPC-H 4.2.2.14).
func weighted(list string) (entries []string) {
	for entry := range strings.SplitSeq(list, ",") {
		text, number, found := strings.Cut(entry, "*")
		weight := 1
		if found {
			weight, _ = strconv.Atoi(number)
		}
		for range weight {
			entries = append(entries, text)
		}
	}
	return entries
}

// The grammar of comments (TPC-H 4.2.2.14). A sentence consists of phrases: N with a noun, V with a
// verb, P with a preposition and its article, and its end T. A phrase consists of words from the
// lists below: nouns N, verbs V, adjectives J, adverbs D, auxiliaries X, prepositions P, the
// article A, a comma C, terminators T.
const (
	sentences = "NVT*3,NVPNT*3,NVNT*3,NPNVNT,NPNVPNT"

	nounPhrases        = "N*10,JN*20,JCJN*10,DJN*50"
	verbPhrases        = "V*30,XV,VD*40,XVD"
	prepositionPhrases = "PA"
	endPhrases         = "T"

	terminators = ".*50,;,:,?,!,--"

	nouns = "packages*40,requests*40,accounts*40,deposits*40,foxes*20,ideas*20,theodolites*20,pinto beans*20," +
		"instructions*20,dependencies*10,excuses*10,platelets*10,asymptotes*10,courts*5,dolphins*5,multipliers," +
		"sauternes,warthogs,frets,dinos,attainments,somas,Tiresias,patterns,forges,braids,frays,warhorses,dugouts," +
		"notornis,epitaphs,pearls,tithes,waters,orbits,gifts,sheaves,depths,sentiments,decoys,realms,pains,grouches," +
		"escapades,hockey players"
	verbs = "sleep*20,wake*20,are*20,cajole*20,haggle*20,nag*10,use*10,boost*10,affix*5,detect*5,integrate*5," +
		"maintain,nod,was,lose,sublate,solve,thrash,promise,engage,hinder,print,x-ray,breach,eat,grow,impress,mold," +
		"poach,serve,run,dazzle,snooze,doze,unwind,kindle,play,hang,believe,doubt"
	adverbs = "sometimes,always,never,furiously*50,slyly*50,carefully*50,blithely*40,quickly*30,fluffily*20,slowly," +
		"quietly,ruthlessly,thinly,closely,doggedly,daringly,bravely,stealthily,permanently,enticingly,idly,busily," +
		"regularly,finally,ironically,evenly,boldly,silently"
	adjectives = "special*20,pending*20,unusual*20,express*20,furious,sly,careful,blithe,quick,fluffy,slow,quiet," +
		"ruthless,thin,close,dogged,daring,brave,stealthy,permanent,enticing,idle,busy,regular*50,final*40,ironic*40," +
		"even*30,bold*20,silent*10"
	prepositions = "about*50,above*50,according to*50,across*50,after*50,against*40,along*40,alongside of*30,among*30," +
		"around*20,at*10,atop,before,behind,beneath,beside,besides,between,beyond,by,despite,during,except,for,from," +
		"in place of,inside,instead of,into,near,of,on,outside,over,past,since,through,throughout,to,toward,under," +
		"until,up,upon,whithout,with,within" // dbgen spells it "whithout"
	auxiliaries = "do,may,might,shall,will,would,can,could,should,ought to,must,will have to,shall have to," +
		"could have to,should have to,must have to,need to,try to"
)
