// Makes and registers the token of one demo agent, with a pool that gives it a price. An interrupted run continues.
import { createHash } from 'node:crypto';
import { MarketApiError } from '@market/sdk';
import { associatedTokenAddress, tokenPoolAddress } from '../solana/associated-token-address.ts';
import { addressBytes, encodeBase58 } from '../solana/base58.ts';
import type { Instruction } from '../solana/compose-transaction.ts';
import type { Keypair } from '../solana/keypair.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../solana/programs.ts';
import { TESSERA } from './content/sample-offers.ts';
import { askNode } from './json-rpc.ts';
import type { Market } from './market-access.ts';
import { type OpenedAgent, ownerOf } from './open-offers.ts';
import { pollUntil } from './poll-until.ts';
import { type PaymentEndpoint, sendInstructions } from './wallets.ts';

export const demoToken = { agent: TESSERA, name: 'Tessera', symbol: 'TESS', decimals: 6 } as const;

const NETWORK = 'solana-mainnet';
const SEED = 'demo-token';
const MINT_BYTES = 82n;
const MINT_LAMPORTS = 1_461_600n;
const WHOLE = 1_000_000n;
/** The pool's part of a supply of a billion; the owner holds the rest. */
const POOL_TOKENS = 200_000_000n * WHOLE;
const OWNER_TOKENS = 800_000_000n * WHOLE;
/** USDC in the pool, which makes a token cost 0.000025 USD. */
const POOL_USDC = '5000';
const LANDING_SECONDS = 60;

export async function openToken(market: Market, agent: Pick<OpenedAgent, 'id'>, { rpcUrl }: PaymentEndpoint): Promise<void> {
  const owner = market.keypair(ownerOf(demoToken.agent));
  const mint = seededAddress(owner.address, TOKEN_PROGRAM);
  const pool = tokenPoolAddress(mint);
  const { data: token } = await market.anyone.tokens.get({ id: agent.id });
  if (token.token_mint !== null) return;
  if (!(await exists(rpcUrl, mint))) {
    await fund(market, owner.address);
    await sendInstructions(rpcUrl, owner, makeToken(owner, mint, pool));
    if ((await pollUntil(async () => (await exists(rpcUrl, mint)) || undefined, LANDING_SECONDS)) === undefined)
      throw new Error('the demo token was not made in time');
  }
  const { data: has } = await market.anyone.sandbox.balance({ network: NETWORK, address: pool });
  if (Number(has.usdc) === 0) await market.anyone.sandbox.faucet({ network: NETWORK, address: pool, usdc: POOL_USDC });
  await register(market, agent.id, mint);
  // Reading the token records the first price of its chart.
  await market.anyone.tokens.get({ id: agent.id });
}

async function register(market: Market, id: string, mint: string): Promise<void> {
  const { signer } = market.wallet(ownerOf(demoToken.agent), 'solana');
  try {
    await market.as({ wallet: signer }).tokens.register({
      id,
      token_mint: mint,
      token_name: demoToken.name,
      token_symbol: demoToken.symbol,
      token_mode: 'byot',
      token_creator_wallet: signer.address,
    });
  } catch (error) {
    // Another market on the same chains may have registered the token.
    if (!(error instanceof MarketApiError && ['token_already_set', 'token_mint_taken'].includes(error.code))) throw error;
  }
}

async function fund(market: Market, address: string): Promise<void> {
  const balance = async () => Number((await market.anyone.sandbox.balance({ network: NETWORK, address })).data.native);
  if ((await balance()) > 0) return;
  await market.anyone.sandbox.faucet({ network: NETWORK, address, native: '1' });
  if ((await pollUntil(async () => (await balance()) > 0 || undefined, LANDING_SECONDS)) === undefined)
    throw new Error('the faucet did not fund the owner of the demo token');
}

async function exists(rpcUrl: string, address: string): Promise<boolean> {
  const options = { encoding: 'base64', commitment: 'confirmed' };
  const { value } = await askNode<{ value: unknown }>(rpcUrl, 'getAccountInfo', [address, options]);
  return value !== null;
}

/** An address that the wallet derives with a seed, without a key of its own. */
function seededAddress(base: string, program: string): string {
  return encodeBase58(createHash('sha256').update(addressBytes(base)).update(SEED).update(addressBytes(program)).digest());
}

/** Instructions for the mint and both holdings, in one transaction. */
function makeToken(owner: Keypair, mint: string, pool: string): readonly Instruction[] {
  const [ownTokens, poolTokens] = [associatedTokenAddress(owner.address, mint), associatedTokenAddress(pool, mint)];
  return [
    createSeeded(owner.address, mint),
    onProgress([mint], [], Buffer.of(20, demoToken.decimals), addressBytes(owner.address), Buffer.of(0)),
    openHolding(owner.address, pool, mint, poolTokens),
    openHolding(owner.address, owner.address, mint, ownTokens),
    onProgress([mint, poolTokens], [owner.address], Buffer.of(7), u64(POOL_TOKENS)),
    onProgress([mint, ownTokens], [owner.address], Buffer.of(7), u64(OWNER_TOKENS)),
  ];
}

function createSeeded(payer: string, created: string): Instruction {
  const parts = [
    Buffer.of(3, 0, 0, 0),
    addressBytes(payer),
    u64(BigInt(SEED.length)),
    Buffer.from(SEED),
    u64(MINT_LAMPORTS),
    u64(MINT_BYTES),
    addressBytes(TOKEN_PROGRAM),
  ];
  const accounts = [payer, created].map((address) => ({ address, isWritable: true }));
  return { program: SYSTEM_PROGRAM, accounts, data: Buffer.concat(parts) };
}

function openHolding(payer: string, owner: string, mint: string, holding: string): Instruction {
  const written = [payer, holding].map((address) => ({ address, isWritable: true }));
  const read = [owner, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM].map((address) => ({ address, isWritable: false }));
  return { program: ASSOCIATED_TOKEN_PROGRAM, accounts: [...written, ...read], data: Buffer.of(1) };
}

function onProgress(written: readonly string[], read: readonly string[], ...data: readonly Uint8Array[]): Instruction {
  const accounts = [
    ...written.map((address) => ({ address, isWritable: true })),
    ...read.map((address) => ({ address, isWritable: false })),
  ];
  return { program: TOKEN_PROGRAM, accounts, data: Buffer.concat(data) };
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
