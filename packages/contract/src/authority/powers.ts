/** What a call can do. Every operation names the power that it needs. From the weakest to the strongest. */
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
