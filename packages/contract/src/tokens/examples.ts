import { exampleAgent } from '../agents/examples.ts';

export const exampleMint = '3Zfn1eY9MXjQwVEb5m2LZkuPbHfUeKDvHyBz1TzZHLdR';

export const exampleToken = {
  agent_id: exampleAgent.agent_id,
  token_mint: exampleMint,
  token_name: 'Tallyrook',
  token_symbol: 'TALLY',
  token_named_by: 'mint',
  token_image_url: null,
  token_mode: 'pumpfun',
  token_creator_wallet: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  token_tx_hash: null,
  token_created_at: '2026-11-15 14:05:00',
  token_launch_attempted: 0,
  token_decimals: 6,
  token_supply: '1000000000',
  market: { price_usd: 0.000032, market_cap_usd: 32000 },
  explorer_url: `https://solscan.io/token/${exampleMint}`,
  tx_explorer_url: null,
} as const;
