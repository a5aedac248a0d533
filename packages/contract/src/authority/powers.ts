/** Powers of calls, from the weakest to the strongest. Every operation names the power that it needs. */
export const powerNames = [
  'public',
  'read',
  'result',
  'self',
  'buy',
  'sell',
  'place',
  'spend',
  'fund',
  'revoke',
  'move',
  'grant',
  'recover',
  'operate',
] as const;

export type Power = (typeof powerNames)[number];
