/** Compares a sequence with tokens of which some stand for any number of its items. */

/** What a token takes, and whether it stands for any number of items. */
export interface Grammar<Token extends {}, Item extends {}> {
  readonly isMany: (token: Token) => boolean
  readonly takes: (token: Token, item: Item) => boolean
}

/**
 * Two pointers, and the last place where a token may take one item more: at worst tokens times items steps, because an
 * earlier such token never has to be tried again.
 */
export const fits = <Token extends {}, Item extends {}>(
  { isMany, takes }: Grammar<Token, Item>,
  tokens: ReadonlyArray<Token>,
  items: ReadonlyArray<Item>
): boolean => {
  let [position, many, from] = [0, -1, 0]
  for (let index = 0; index < items.length; index++) {
    const [token, item] = [tokens[position], items[index]]
    if (token !== undefined && isMany(token)) {
      many = position++
      from = index--
    } else if (token !== undefined && item !== undefined && takes(token, item)) position++
    else if (many < 0) return false
    else {
      position = many + 1
      index = from++
    }
  }
  return tokens.slice(position).every(isMany)
}
