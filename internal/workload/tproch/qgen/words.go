package qgen

import "strings"

// The words of the data that queries use, in the standard's order, because they are drawn by
// position.
var (
	regions  = strings.Split("AFRICA,AMERICA,ASIA,EUROPE,MIDDLE EAST", ",")
	nations  = strings.Split("ALGERIA,ARGENTINA,BRAZIL,CANADA,EGYPT,ETHIOPIA,FRANCE,GERMANY,INDIA,INDONESIA,IRAN,IRAQ,JAPAN,JORDAN,KENYA,MOROCCO,MOZAMBIQUE,PERU,CHINA,ROMANIA,SAUDI ARABIA,VIETNAM,RUSSIA,UNITED KINGDOM,UNITED STATES", ",")
	regionOf = []int{0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1} // of each nation

	segments   = strings.Split("AUTOMOBILE,BUILDING,FURNITURE,HOUSEHOLD,MACHINERY", ",")
	modes      = strings.Split("REG AIR,AIR,RAIL,TRUCK,MAIL,FOB,SHIP", ",")
	types      = combinations("STANDARD,SMALL,MEDIUM,LARGE,ECONOMY,PROMO", "ANODIZED,BURNISHED,PLATED,POLISHED,BRUSHED", "TIN,NICKEL,BRASS,STEEL,COPPER")
	containers = combinations("SM,LG,MED,JUMBO,WRAP", "CASE,BOX,BAG,JAR,PACK,PKG,CAN,DRUM")

	commentWords = strings.Split("special,pending,unusual,express", ",")
	commentNouns = strings.Split("packages,requests,accounts,deposits", ",")

	colours = strings.Fields(`
		almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse
		chiffon chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest
		frosted gainsboro ghost goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light
		lime linen magenta maroon medium metallic midnight mint misty moccasin navajo navy olive orange orchid pale
		papaya peach peru pink plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky
		slate smoke snow spring steel tan thistle tomato turquoise violet wheat white yellow`)
)

// combinations returns every text with one word of each list; the last list changes fastest.
func combinations(lists ...string) []string {
	texts := []string{""}
	for _, list := range lists {
		var longer []string
		for _, text := range texts {
			for word := range strings.SplitSeq(list, ",") {
				longer = append(longer, strings.TrimPrefix(text+" "+word, " "))
			}
		}
		texts = longer
	}
	return texts
}
