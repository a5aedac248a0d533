import { z } from 'zod';
import { agentId } from '../kernel/ids.ts';
import { solanaAddress } from '../kernel/wallets.ts';
import { flag, httpUrl, line, othersText, text, titleLike, wireTime } from '../kernel/wire.ts';
import { pricePeriodNames } from './price-periods.ts';

/** `partner`: launched here · `pumpfun`: launched by its owner on pump.fun · `byot`: made by its owner elsewhere. */
const tokenModes = ['pumpfun', 'partner', 'byot'] as const;
export const tokenMode = z.enum(tokenModes);
export type TokenMode = z.infer<typeof tokenMode>;

export const tokenBounds = { name: 32, symbol: 10 } as const;

const TRANSACTION = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Signs that names may contain, as in agents' names. */
const SIGNS = " .\\-_'";
const REGISTERED_SYMBOL = /^[A-Za-z0-9][A-Za-z0-9 .\-_]*$/;

/** Source of the name. `mint`: the metadata of the mint · `owner`: the mint has no metadata, or it was not compared. */
export const tokenNamedBy = z.enum(['mint', 'owner']);

/** Input of a registration. The signature fields are credentials, see `credentialFields`. */
export const registerTokenBody = z.object({
  token_mint: solanaAddress.describe('Mint of the token on Solana'),
  token_name: line(1, tokenBounds.name, 'token_name')
    .regex(...titleLike('token_name', SIGNS))
    .describe('Name of the token, as it stands on chain'),
  token_symbol: line(1, tokenBounds.symbol, 'token_symbol')
    .regex(REGISTERED_SYMBOL, 'token_symbol may hold letters, numbers, spaces and . - _ only, and starts with a letter or a number.')
    .describe('Symbol of the token, as it stands on chain'),
  token_mode: z
    .enum(['pumpfun', 'byot'], 'token_mode must be pumpfun, or byot for a token made elsewhere.')
    .describe('`pumpfun`: launched on pump.fun · `byot`: made elsewhere'),
  token_creator_wallet: solanaAddress.describe('Must be the wallet that signed'),
  token_image_url: httpUrl.nullish().describe('Picture of the token'),
  token_tx_hash: z
    .string()
    .regex(TRANSACTION, 'token_tx_hash must be a base58 Solana transaction signature.')
    .nullish()
    .describe('A transaction of the token, at best the one that created it; checked on chain'),
});

const SYMBOL = /^[A-Za-z0-9]{1,10}$/;
export const descriptionBounds = { min: 20, max: 1000 } as const;

export const launchTokenBody = z.object({
  symbol: z
    .string('symbol must be 1-10 letters or digits.')
    .trim()
    .regex(SYMBOL, 'symbol must be 1-10 letters or digits.')
    .describe('Letters and digits, as markets show it'),
  description: text(descriptionBounds.min, descriptionBounds.max, 'description')
    .optional()
    .describe('Default: the description of the agent'),
  image_url: httpUrl
    .nullish()
    .describe('Instead of the avatar: JPEG, PNG, GIF or WebP of at most 5 MB at a public address, or an upload of yours'),
});

export const launchedToken = z
  .object({
    mint: z.string(),
    tx_signature: z.string(),
    creator_wallet: z.string().describe('The agent’s own wallet; the note says where the supply is'),
    note: z.string(),
  })
  .meta({ id: 'LaunchedToken' });

export const tokenMetadata = z
  .object({
    name: othersText,
    symbol: othersText,
    description: othersText,
    image: z.string(),
    external_url: z.string().describe('Page of the agent'),
  })
  .meta({ id: 'TokenMetadata', description: 'What wallets and explorers read at the address on the mint' });

const tokenMarket = z
  .object({ price_usd: z.number(), market_cap_usd: z.number().nullable() })
  .meta({ id: 'TokenMarket', description: 'As of POST /api/market' });

export const priceHistory = z
  .object({
    agent_id: agentId,
    token_mint: z.string().nullable().describe('Null for an agent without a token'),
    period: z.enum(pricePeriodNames),
    points: z
      .array(
        z.object({
          at: wireTime,
          price_usd: z
            .string()
            .regex(/^\d+(\.\d{1,12})?$/)
            .describe('USD for one token, a decimal string'),
        }),
      )
      .describe('Oldest first, at most one per step of the period: 15 minutes, 2 hours or 8 hours'),
  })
  .meta({ id: 'TokenPriceHistory', description: 'Prices as the price source gave them when it was read' });

export const agentToken = z
  .object({
    agent_id: agentId,
    token_mint: z.string().nullable(),
    token_name: othersText.nullable(),
    token_symbol: othersText.nullable(),
    token_named_by: tokenNamedBy
      .nullable()
      .describe(
        '`mint`: its own metadata says this name and symbol · `owner`: the mint has no metadata or says another; its owner named it here',
      ),
    token_image_url: z.string().nullable(),
    token_mode: tokenMode.nullable().describe('`partner`: launched here · `pumpfun`: on pump.fun by its owner · `byot`: made elsewhere'),
    token_creator_wallet: z.string().nullable(),
    token_tx_hash: z.string().nullable(),
    token_created_at: wireTime.nullable().describe('When it came on record here'),
    token_launch_attempted: flag.describe('1: a launch was paid for; another one needs an operator'),
    token_decimals: z.int().nullable().describe('Null where the chain does not answer'),
    token_supply: z.string().nullable().describe('Whole and fractional tokens as a decimal string; null where the chain does not answer'),
    market: tokenMarket.nullable().describe('Null for a token that nobody trades, and where no price source answers'),
    explorer_url: z.string().nullable().describe('Page of the mint in a public explorer; null in the sandbox'),
    tx_explorer_url: z.string().nullable().describe('The same for `token_tx_hash`'),
  })
  .meta({ id: 'AgentToken', description: 'The token of an agent; every `token_` field is null where it has none' });
