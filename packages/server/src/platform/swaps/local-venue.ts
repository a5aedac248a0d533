/**
 * The sandbox's venue: one wallet holds a pool of USDC and SOL. In one transaction the taker pays the USDC and the venue the SOL; both sign
 * it, so both sides happen or none. The price follows a constant product of the pool's balances on chain.
 */
import { randomUUID } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import { getBase64EncodedWireTransaction, getTransactionDecoder, type Transaction } from '@solana/transactions';
import { RpcError } from '../chains/json-rpc.ts';
import { composeTransaction } from '../chains/solana/compose-transaction.ts';
import { createTokenAccount, transferSol, transferUsdc, writeMemo } from '../chains/solana/instructions.ts';
import type { SolanaRpc } from '../chains/solana/solana-rpc.ts';
import { type SolanaSigner, signChecked } from '../chains/solana/solana-signer.ts';
import { deriveTokenAccount, readTokenAccount } from '../chains/solana/token-account.ts';
import type { TokenPrice } from '../prices/price-source.ts';
import { SOL_MINT, type SwapOutcome, type SwapVenue, VenueRefusal } from './swap-venue.ts';
import { readPoolPrice } from './token-pool.ts';

const SLIPPAGE_BPS = 100;
const VALID_SECONDS = 30;
const WHOLE_BPS = 10_000n;
/** The pool keeps this share of each amount. */
const FEE_BPS = 30n;
/** Coins for network fees, beside the pool. */
const GAS_LAMPORTS = 1_000_000_000n;
const LOOKS = 100;
const LOOK_MS = 200;

export interface Pool {
  readonly usdcMicros: bigint;
  readonly lamports: bigint;
}

export interface LocalVenueOptions {
  readonly rpc: SolanaRpc;
  readonly signer: SolanaSigner;
  readonly usdcMint: string;
}

export interface LocalVenue extends SwapVenue {
  readonly address: string;
  readPool(): Promise<Pool>;
  /** USD price of SOL by the venue's own pool, or of another token by that token's pool; undefined without a pool or for an empty one. */
  readPrice(mint: string): Promise<TokenPrice | undefined>;
}

/** Lamports that the pool gives for an amount, rounded down. */
export function priceOf({ usdcMicros, lamports }: Pool, amountMicros: bigint): bigint {
  const paid = amountMicros * (WHOLE_BPS - FEE_BPS);
  const whole = usdcMicros * WHOLE_BPS + paid;
  return whole === 0n ? 0n : (lamports * paid) / whole;
}

export function createLocalVenue({ rpc, signer, usdcMint }: LocalVenueOptions): LocalVenue {
  const [venue, mint] = [signer.address as Address, usdcMint as Address];
  const ownAccount = deriveTokenAccount(venue, mint);

  async function readPool(): Promise<Pool> {
    const [wallet, tokens] = await rpc.readAccounts([venue, await ownAccount]);
    const free = BigInt(wallet?.lamports ?? 0) - GAS_LAMPORTS;
    return { usdcMicros: readTokenAccount(tokens)?.micros ?? 0n, lamports: free > 0n ? free : 0n };
  }

  return {
    address: venue,
    readPool,

    async readPrice(asked) {
      if (asked !== SOL_MINT) return await readPoolPrice(rpc, mint, asked as Address);
      const { usdcMicros, lamports } = await readPool();
      if (usdcMicros === 0n || lamports === 0n) return undefined;
      return { priceUsd: Number(usdcMicros) / 1e6 / (Number(lamports) / 1e9), marketCapUsd: null };
    },

    async quote({ amountMicros, taker, receiver }) {
      const outLamports = priceOf(await readPool(), amountMicros);
      if (outLamports === 0n) throw new VenueRefusal('swap_venue_failed', 'The pool of the sandbox is empty.');
      await requireLivable(rpc, receiver as Address, outLamports);
      // Makes quotes unique: two quotes of one amount in the same block would otherwise be one transaction.
      const request = randomUUID();
      const steps = [
        createTokenAccount({ payer: venue, tokenAccount: await ownAccount, owner: venue, mint }),
        transferUsdc({
          source: await deriveTokenAccount(taker as Address, mint),
          mint,
          destination: await ownAccount,
          owner: taker as Address,
          micros: amountMicros,
        }),
        transferSol(venue, receiver as Address, outLamports),
        writeMemo(request),
      ];
      const transaction = composeTransaction(venue, await rpc.readLatestBlockhash(), steps);
      return {
        request,
        transaction: getBase64EncodedWireTransaction(transaction),
        outLamports,
        // The transaction states this exact amount.
        leastLamports: outLamports,
        slippageBps: SLIPPAGE_BPS,
        validSeconds: VALID_SECONDS,
      };
    },

    async execute({ transaction, amountMicros, outLamports, signature: sentBefore }): Promise<SwapOutcome> {
      const decoded = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
      const signature = await signChecked(signer, Uint8Array.from(decoded.messageBytes));
      const reference = base58.encode(signature);
      // A swap that was sent before keeps its price.
      const known = (await rpc.findStatus(reference)).status;
      // A reorganisation reverted it: these bytes can land without us, so neither price nor simulation decides any more.
      const isUndone = known === null && sentBefore !== null;
      if (known === null && !isUndone) {
        const now = priceOf(await readPool(), amountMicros);
        // The venue keeps a quote while the price has moved by no more than the slippage.
        const hasMoved = now * WHOLE_BPS < outLamports * (WHOLE_BPS - BigInt(SLIPPAGE_BPS));
        // Another call may have sent the same bytes in the meantime, and moved the price by that.
        if (hasMoved && (await rpc.findStatus(reference)).status === null)
          throw new VenueRefusal('swap_price_moved', 'The price moved since the quote.');
      }
      const signatures = { ...decoded.signatures, [venue]: signature } as Transaction['signatures'];
      const bytes = getBase64EncodedWireTransaction({ ...decoded, signatures });
      const refusal = known === null ? await (isUndone ? sendAgain(rpc, bytes) : findRefusal(rpc, bytes)) : undefined;
      if (refusal !== undefined && (await rpc.findStatus(reference)).status === null)
        return { state: 'failed', signature: null, reason: refusal };
      return await follow(rpc, reference);
    },
  };
}

async function requireLivable(rpc: SolanaRpc, receiver: Address, lamports: bigint): Promise<void> {
  const [wallet] = await rpc.readAccounts([receiver]);
  if (!wallet && lamports < (await rpc.readRentMinimum(0)))
    throw new VenueRefusal('swap_too_small', 'The receiver has no SOL yet, and this would be less than a wallet must hold.');
}

/** Sends the bytes; returns the reason when they can never land. */
async function findRefusal(rpc: SolanaRpc, bytes: string): Promise<string | undefined> {
  const failure = await rpc.findFailureBySimulation(bytes);
  return failure === null ? await sendAgain(rpc, bytes) : explain(failure);
}

async function sendAgain(rpc: SolanaRpc, bytes: string): Promise<string | undefined> {
  try {
    await rpc.send(bytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const words = `${error.message} ${JSON.stringify(error.data)}`;
    if (/already (been )?processed|AlreadyProcessed/i.test(words)) return undefined;
    if (/blockhash ?not ?found/i.test(words)) return 'The transaction is too old to be sent. Ask for a new quote.';
    throw new VenueRefusal('swap_venue_failed', `The chain did not take the swap: ${error.message}`, error);
  }
}

async function follow(rpc: SolanaRpc, reference: string): Promise<SwapOutcome> {
  for (let look = 0; look < LOOKS; look++) {
    const { status } = await rpc.findStatus(reference);
    if (status?.err != null) return { state: 'failed', signature: reference, reason: explain(status.err) };
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized')
      return { state: 'done', signature: reference };
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return { state: 'open', signature: reference };
}

function explain(failure: unknown): string {
  return `The chain refused the swap (${JSON.stringify(failure)}). Does the taker hold the USDC?`;
}
