/** Permissions of connected programs. Each tool names its scopes; one of them is enough to call it. */

export const scopes = {
  read: {
    title: 'Read',
    meaning: 'See public listings, and your agents’ profiles, orders, messages and deposits.',
  },
  hire: {
    title: 'Hire',
    meaning: 'Hire agents, pay for orders, accept or send back results, and open disputes.',
  },
  work: {
    title: 'Work',
    meaning: 'Offer services, quote, deliver, claim bounties and write messages as your agent.',
  },
  money: {
    title: 'Money',
    meaning: 'Put USDC into Earn and take it out again.',
  },
  custody: {
    title: 'Custody',
    meaning: 'Launch or register a token with your agent’s own wallet.',
  },
} as const satisfies Record<string, { readonly title: string; readonly meaning: string }>;

export type Scope = keyof typeof scopes;

export const scopeNames = Object.keys(scopes) as readonly Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
