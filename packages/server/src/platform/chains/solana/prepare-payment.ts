/** Prepares a payment to the treasury for a wallet to sign, and broadcasts payments that wallets only signed. */
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/transaction-messages';
import { compileTransaction, getBase64EncodedWireTransaction, getTransactionDecoder } from '@solana/transactions';
import { type PreparedPayment, TransferRefused } from '../chain.ts';
import { broadcast } from './broadcast.ts';
import { createTokenAccount, transferUsdc, writeMemo } from './instructions.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import type { SolanaContext } from './solana-context.ts';
import { deriveTokenAccount, readTokenAccount, TOKEN_ACCOUNT_BYTES } from './token-account.ts';
import { offerFee } from './transaction-fee.ts';

export async function preparePayment(context: SolanaContext, payer: Address, micros: bigint, note?: string): Promise<PreparedPayment> {
  const { rpc, usdcMint: mint, treasury, treasuryAccount } = context;
  const source = await deriveTokenAccount(payer, mint);
  const [[wallet, tokens, ours], offer, lifetime] = await Promise.all([
    rpc.readAccounts([payer, source, treasuryAccount]),
    offerFee(context, treasuryAccount),
    rpc.readLatestBlockhash(),
  ]);
  const instructions = [
    ...offer,
    // This instruction names owner and mint of the receiving account: wallets show it, and the chain refuses another account.
    createTokenAccount({ payer, tokenAccount: treasuryAccount, owner: treasury, mint }),
    transferUsdc({ source, mint, destination: treasuryAccount, owner: payer, micros }),
    ...(note === undefined ? [] : [writeMemo(note)]),
  ];
  const paid = setTransactionMessageFeePayer(payer, createTransactionMessage({ version: 0 }));
  const message = appendTransactionMessageInstructions(instructions, setTransactionMessageLifetimeUsingBlockhash(lifetime, paid));
  const compiled = compileTransaction(message);
  const fee = await rpc.readFee(Buffer.from(compiled.messageBytes).toString('base64'));
  const held = readTokenAccount(tokens);
  const opening = ours && ours.data.length > 0 ? 0n : await rpc.readRentMinimum(TOKEN_ACCOUNT_BYTES);
  // A transfer of SOL must leave nothing, or at least the rent minimum of an empty account.
  const rest = await rpc.readRentMinimum(0);
  return {
    usdcMicros: held?.owner === payer && held.mint === mint ? held.micros : 0n,
    native: BigInt(wallet?.lamports ?? 0),
    fee: fee + opening,
    highestFee: fee + opening + rest,
    transaction: {
      kind: 'solana',
      transaction: getBase64EncodedWireTransaction(compiled),
      lastValidBlockHeight: lifetime.lastValidBlockHeight,
    },
  };
}

const BASE64 = /^[A-Za-z0-9+/]{1,4000}={0,2}$/;
/** Largest transaction that the network accepts. */
const MAX_BYTES = 1232;
const TRANSFER_CHECKED = 12;

export async function broadcastForeign(context: SolanaContext, signed: string): Promise<string> {
  const bytes = BASE64.test(signed) ? Buffer.from(signed, 'base64') : Buffer.alloc(0);
  if (bytes.length > MAX_BYTES || !paysTreasury(context, bytes)) {
    throw new TransferRefused('destination', 'These bytes are no signed transfer of USDC to the treasury.');
  }
  const reference = base58.encode(bytes.subarray(1, 65));
  await broadcast(context.rpc, { reference, bytes: bytes.toString('base64'), validity: '' });
  return reference;
}

/** Only payments to the treasury are broadcast: this is no public node. */
function paysTreasury({ treasuryAccount }: SolanaContext, bytes: Buffer): boolean {
  try {
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    if (!('instructions' in message)) return false;
    const { staticAccounts, instructions } = message;
    const transfers = instructions.filter(
      ({ programAddressIndex, accountIndices = [], data }) =>
        staticAccounts[programAddressIndex] === TOKEN_PROGRAM &&
        data?.[0] === TRANSFER_CHECKED &&
        staticAccounts[accountIndices[2] ?? -1] === treasuryAccount,
    );
    // A transaction with one signer has its first signature as reference.
    const [signature] = Object.values(signatures);
    return transfers.length > 0 && Object.keys(signatures).length === 1 && signature?.some((byte) => byte !== 0) === true;
  } catch {
    return false;
  }
}
