/**
 * Checks that the transaction to sign matches the order exactly: receiver, token, amount and chain, with no further effect. The expected
 * values come from the order, the transaction from another answer. Pure.
 */
import { fromBase64 } from './base64.ts';
import { readMessage, splitTransaction } from './solana-message.ts';
import { type PayableNetwork, type PreparedPayment, WalletProblem } from './wallet-session.ts';

export interface AgreedPayment {
  readonly network: string;
  readonly pay_to: string;
  readonly usdc_address: string;
  readonly amount_micros: string;
}

export function requireAgreed(prepared: PreparedPayment, agreed: AgreedPayment, network: PayableNetwork, payer: string): void {
  const { transaction } = prepared;
  const wrong =
    network.network !== agreed.network || prepared.network !== agreed.network
      ? 'network'
      : transaction.kind === 'evm'
        ? wrongInEvm(transaction, agreed, network, payer)
        : wrongInSolana(transaction.transaction, agreed, payer);
  if (wrong === undefined) return;
  throw new WalletProblem('not_what_was_agreed', `The prepared payment has another ${wrong} than the order says. Nothing was signed.`);
}

type EvmCall = Extract<PreparedPayment['transaction'], { kind: 'evm' }>;

const TRANSFER = '0xa9059cbb';

function wrongInEvm(call: EvmCall, agreed: AgreedPayment, network: PayableNetwork, payer: string): string | undefined {
  if (call.chain_id !== network.chain_id) return 'chain';
  if (!isSame(call.from, payer)) return 'payer';
  if (!isSame(call.to, agreed.usdc_address) || call.value !== '0x0') return 'token';
  const receiver = word(agreed.pay_to.slice(2).toLowerCase());
  if (call.data.slice(0, 74) !== `${TRANSFER}${receiver}`) return 'receiver';
  return call.data.slice(74) === word(BigInt(agreed.amount_micros).toString(16)) ? undefined : 'amount';
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function word(hex: string): string {
  return hex.padStart(64, '0');
}

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const USDC_DECIMALS = 6;
/** 0.01 SOL: far above the fees of a payment, and a small loss at worst. */
const LARGEST_TIP_LAMPORTS = 10_000_000n;

/**
 * The transfer goes to a token account. The preceding instruction names that account's owner and mint, and the chain refuses it if another
 * wallet owns the account.
 */
function wrongInSolana(base64: string, agreed: AgreedPayment, payer: string): string | undefined {
  const { signers, instructions } = readMessage(splitTransaction(fromBase64(base64)).messageBytes);
  if (signers.length !== 1 || signers[0] !== payer) return 'payer';
  if (tipOf(instructions.filter(({ program }) => program === COMPUTE_BUDGET)) > LARGEST_TIP_LAMPORTS) return 'network fee';
  const [opening, transfer, ...more] = instructions.filter(({ program }) => program !== COMPUTE_BUDGET);
  if (opening === undefined || transfer === undefined || more.length > 0) return 'list of steps';
  if (opening.program !== ASSOCIATED_TOKEN || opening.data.length !== 1 || opening.data[0] !== 1) return 'list of steps';
  if (transfer.program !== TOKEN || transfer.data.length !== 10 || transfer.data[0] !== 12) return 'list of steps';
  const [, account, owner, mint] = opening.accounts;
  const [, movedMint, destination, from] = transfer.accounts;
  if (mint !== agreed.usdc_address || movedMint !== mint || transfer.data[9] !== USDC_DECIMALS) return 'token';
  if (owner !== agreed.pay_to || destination !== account) return 'receiver';
  if (from !== payer) return 'payer';
  return littleEndian(transfer.data.slice(1, 9)) === BigInt(agreed.amount_micros) ? undefined : 'amount';
}

/** Priority fee in lamports, from compute units and micro-lamports. */
function tipOf(steps: readonly { readonly data: Uint8Array }[]): bigint {
  let units = 1_400_000n;
  let price = 0n;
  for (const { data } of steps) {
    if (data[0] === 2) units = littleEndian(data.slice(1, 5));
    else if (data[0] === 3) price = littleEndian(data.slice(1, 9));
  }
  return (units * price) / 1_000_000n;
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
}
