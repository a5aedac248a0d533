/**
 * Output of pump.fun's own SDK (2.0.0) for a coin and its accounts, recorded once, because the SDK is no dependency. The settings have
 * mainnet's published values; unpublished keys are zero.
 */

/** Ed25519 seeds of the two signers. */
export const recordedSeeds = { mint: '01'.repeat(32), wallet: '02'.repeat(32) } as const;

export const recordedCoin = {
  mint: 'AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9',
  wallet: '9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu',
  name: 'Tallyrook by Mercato',
  symbol: 'TALLY',
  uri: 'https://market.example/api/tokens/AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9/metadata.json',
} as const;

/** `create_v2` of that coin. */
export const recordedCreate = {
  program: '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
  data: '1pBM7F+LMbQUAAAAVGFsbHlyb29rIGJ5IE1lcmNhdG8FAAAAVEFMTFlcAAAAaHR0cHM6Ly9tYXJrZXQuZXhhbXBsZS9hcGkvdG9rZW5zL0FLbkw0Tk5mM0RHV1pKUzZjUGtuQnVFR25Wc1Y0QTRtNXRnZWJMSGFSU1o5L21ldGFkYXRhLmpzb26BOXcOqH0XX1ajVGbDTH7My42KkbTuN6Jd9g9bj8mzlAAAAAAAAAAAAAAA',
  /** Address, whether it signs, whether it is writable. */
  accounts: [
    ['AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9', true, true],
    ['TSLvdd1pWpHVjahSpsvCXUbgwsL3JAcvokwaKt1eokM', false, false],
    ['GTSxUuGsx6UyaCAWNjySYx2gLMJr1arNdzcjBnuRoLUV', false, true],
    ['4C1gXP2wEfGSFyagUkQuUp2azGxN3emkxSZ2Cb8d2rwB', false, true],
    ['4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf', false, false],
    ['9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu', true, true],
    ['11111111111111111111111111111111', false, false],
    ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', false, false],
    ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', false, false],
    ['MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e', false, true],
    ['13ec7XdrjF3h3YcqBTFDSReRcUFwbCnJaAQspM4j6DDJ', false, false],
    ['BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s', false, true],
    ['Ei7sQLrc15hsxaouTAdQk3its6X7ZGUhBdcvKEaTprZq', false, true],
    ['99WYK12mnZUDQn1jrmrN7LCE4T8wkCJuU2PwjpdWzwhN', false, true],
    ['Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1', false, false],
    ['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P', false, false],
  ],
} as const;

/** The beginning of `Global`; the rest is zero. It states a billion tokens of six decimals, and that coins may be created. */
export const recordedGlobal = {
  data: Buffer.from(
    [
      'p+joschscn8B07uMqzQc4FKEV/LDgX0yeEQZY9zVX+1YuiTJmd2sAqpKwvjQ3Vy8l+MonBl8tQYqVPPZVrnOblEV+WVnqlyz5gAQ2EfjzwMAAKwj/AYAAAAAeMX7UdEC',
      'AACAxqR+jQMAXwAAAAAAAAAf6nQ58860xO9Lucx77kChpiYXG2hBX+3tQLeolW+E5wHB4eQAAAAAAB4AAAAAAAAAYIzMHfzpYbQ7d5wZFQWm4tO/RdWk20YYrXbILWF1',
      'RTVjg3MADqIssmTTSv9koEte+r+7dN3NBImXsZgVR9fREIOEdCkuZ1qUtDbssKmYiUIyioPdxiM4ApYSZ8XNYRfLjRgaDISfqTem80re0wge+VcAqssMm7PZCaS5FHUn',
      'pOutEeak/ClEpPqCUb74FUJuG/soxrZkZndgfGrZ9WamRteqj7Bg2CkbTE1HXa/3Yslr3A2s6zbAEurRLtOpSEFh4ATIfOuY+lzkf4A4Bv0seUXSlSSVmuwA3tl4FPOP',
      'eEYAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      'AAAAAAAA6JMUH7GOnxV02BDheOGeMGBOMXWqLkoy38hgByfRBwkBNYRTYlYJT5EoGRJ++k5Ea0MzcheT0Th2+arb89x9C19udQGCIPlCZ3ADI3tNa0U3WbSlxpC1nDXZ',
      'uxh6CQy9KjOYep67E2eZq1mSWxPl3Iswgd8AXbQnwUePpG/4w0egdOlUPz43otBGInrdy06cd0xEJYxD7fJKqKrh8AIUZlvaTDjNbbdDj1m0CLuew7TKnorR8fJGU8SZ',
      'tXlsINv5sy3dnuo/ObNyEVxxhHwYRc+lNsaFB04DDkTQId4++eNcTLeA8I7i/uhL7ERqV3gl2mjUOfqKXaOwxc/1D2P0VGsA',
    ].join(''),
    'base64',
  ),
} as const;

/** `BondingCurve` right after the creation of a coin, in its longest version so far. */
export const recordedCurve = {
  creator: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  data: Buffer.from(
    'F7f4N2DYrGAAENhH488DAACsI/wGAAAAAHjF+1HRAgAAAAAAAAAAAACAxqR+jQMAAFyxaAp7IIsFRDJuqZsWpit+CJK6C34z3KT4OzYGGpsoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    'base64',
  ),
} as const;
