/**
 * The effect of a transaction on the treasury's USDC and its payers, from the balances before and after. Ignores instructions, memos and
 * the fee payer: they show an intention, not the effect.
 */
import { type Address, isOffCurveAddress } from '@solana/addresses';
import { TOKEN_PROGRAM } from './programs.ts';
import type { SolanaTransaction } from './solana-rpc.ts';

export interface TreasuryAddresses {
  readonly usdcMint: Address;
  readonly treasury: Address;
  /** The treasury's associated token account: money in any other account of the treasury does not count. */
  readonly treasuryAccount: Address;
}

export interface Judgement {
  readonly receivedMicros: bigint;
  readonly payers: readonly { readonly address: string; readonly micros: bigint }[];
}

interface Change {
  readonly account: string | undefined;
  readonly owner: Address;
  readonly delta: bigint;
  readonly changedHands: boolean;
}

export function judgeTransaction(transaction: SolanaTransaction, addresses: TreasuryAddresses): Judgement {
  const changes = listChanges(transaction, addresses.usdcMint);
  const ours = changes.filter(
    ({ account, owner, changedHands }) => account === addresses.treasuryAccount && owner === addresses.treasury && !changedHands,
  );
  return {
    receivedMicros: ours.reduce((sum, { delta }) => sum + delta, 0n),
    // If an account changes its owner inside the transaction, balances do not show who paid, so name no payer.
    payers: changes.some(({ changedHands }) => changedHands) ? [] : listPayers(transaction, changes),
  };
}

/** Receivers of USDC, the largest share first. */
export function listReceivers(transaction: SolanaTransaction, usdcMint: Address): readonly string[] {
  const gains = listChanges(transaction, usdcMint).filter(({ delta }) => delta > 0n);
  return gains.sort((a, b) => (a.delta > b.delta ? -1 : 1)).map(({ owner }) => owner);
}

/** One entry per USDC account. An account opened in the transaction has no balance before it, one closed in it none after. */
function listChanges({ transaction, meta }: SolanaTransaction, usdcMint: Address): Change[] {
  const accounts = [
    ...transaction.message.accountKeys,
    ...(meta.loadedAddresses?.writable ?? []),
    ...(meta.loadedAddresses?.readonly ?? []),
  ];
  const before = usdcByAccount(meta.preTokenBalances, usdcMint);
  const after = usdcByAccount(meta.postTokenBalances, usdcMint);
  return [...new Map([...after, ...before])].map(([index, { owner }]) => {
    const has = after.get(index);
    const delta = (has?.micros ?? 0n) - (before.get(index)?.micros ?? 0n);
    return { account: accounts[index], owner, delta, changedHands: has !== undefined && has.owner !== owner };
  });
}

type Balances = SolanaTransaction['meta']['preTokenBalances'];

function usdcByAccount(balances: Balances, usdcMint: Address): Map<number, { readonly owner: Address; readonly micros: bigint }> {
  const ours = balances.filter(({ mint, programId }) => mint === usdcMint && programId === TOKEN_PROGRAM);
  return new Map(ours.map(({ accountIndex, owner, uiTokenAmount }) => [accountIndex, { owner, micros: uiTokenAmount.amount }]));
}

function listPayers({ transaction }: SolanaTransaction, changes: readonly Change[]): Judgement['payers'] {
  const { header, accountKeys } = transaction.message;
  const signers = accountKeys.slice(0, header.numRequiredSignatures);
  const net = new Map<Address, bigint>();
  for (const { owner, delta } of changes) net.set(owner, (net.get(owner) ?? 0n) + delta);
  // A delegate pulled from a wallet that did not sign, so the wallet is no payer. Multisig vaults cannot sign; their program did.
  return [...net]
    .filter(([owner, delta]) => delta < 0n && (signers.includes(owner) || isOffCurveAddress(owner)))
    .map(([address, delta]) => ({ address, micros: -delta }));
}
