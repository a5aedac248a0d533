/** People who pay with real wallets on the local chains: funded by the faucet, signing their own transactions. */
import { randomBytes } from 'node:crypto';
import { type NetworkName, networkFacts } from '@market/contract';
import type { SandboxChains } from '@market/sandbox';
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { getBase64EncodedWireTransaction, type Transaction } from '@solana/transactions';
import { createPublicClient, createWalletClient, erc20Abi, type Hex, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { encodeFunctionData } from 'viem/utils';
import type { Chain, Finality } from '../../packages/server/src/platform/chains/chain.ts';
import { createJsonRpcClient } from '../../packages/server/src/platform/chains/json-rpc.ts';
import { composeTransaction } from '../../packages/server/src/platform/chains/solana/compose-transaction.ts';
import { createTokenAccount, transferUsdc, writeMemo } from '../../packages/server/src/platform/chains/solana/instructions.ts';
import { createSolanaRpc } from '../../packages/server/src/platform/chains/solana/solana-rpc.ts';
import { createLocalSolanaSigner, type SolanaSigner } from '../../packages/server/src/platform/chains/solana/solana-signer.ts';
import { deriveTokenAccount } from '../../packages/server/src/platform/chains/solana/token-account.ts';

/** A market whose chains can be paid on, in this process or elsewhere. */
export interface PayableMarket {
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly localChains: SandboxChains | undefined;
}

/** How far a payment is before `pay` returns: `sent` does not wait at all. */
export type PaidUntil = 'sent' | Finality;

interface AnyPayer {
  readonly chain: Chain;
  readonly address: string;
  /** Pays USDC and returns the transaction's reference. `note` is sent along: as a memo, or as bytes after the calldata. */
  pay(to: string, micros: bigint, until?: PaidUntil, note?: string): Promise<string>;
}

export interface EvmPayer extends AnyPayer {
  readonly kind: 'evm';
  readonly wallet: ReturnType<typeof connectEvm>['wallet'];
  readonly reader: ReturnType<typeof connectEvm>['reader'];
}

export interface SolanaPayer extends AnyPayer {
  readonly kind: 'solana';
  readonly wallet: SolanaWallet;
  /** The first signer pays the fee. */
  send(instructions: readonly Instruction[], signers: readonly [SolanaWallet, ...SolanaWallet[]]): Promise<string>;
}

export type Payer = EvmPayer | SolanaPayer;
export type SolanaWallet = SolanaSigner & { readonly address: Address };

const TEN_COINS = { evm: 10n ** 19n, solana: 10n ** 10n };
const DEFAULT_MICROS = 10_000_000_000n;

/** A fresh wallet with USDC and enough of the chain's own coin for fees. */
export async function createPayer(market: PayableMarket, network: NetworkName, usdcMicros = DEFAULT_MICROS): Promise<Payer> {
  const payer = openPayer(market, network);
  const { chain } = payer;
  await requireLocal(market).fund({ network, address: payer.address, usdcMicros, native: TEN_COINS[chain.kind] });
  for (let look = 0; look < 200; look++) {
    const has = await chain.readBalances(payer.address);
    if (has.usdcMicros >= usdcMicros && has.native > 0n) return payer;
    await pause(50);
  }
  throw new Error(`the faucet of ${network} did not fund ${payer.address}`);
}

/** Opens a wallet without funding: of the key, in the form that wallets import, or a new one. */
export function openPayer(market: PayableMarket, network: NetworkName, secretKey?: string): Payer {
  const chain = requireChain(market, network);
  return chain.kind === 'evm' ? openEvmPayer(market, chain, secretKey) : openSolanaPayer(market, chain, secretKey);
}

/** An unused address, to be paid. */
export function freshAddress(network: NetworkName): string {
  return networkFacts[network].kind === 'evm' ? privateKeyToAccount(generatePrivateKey()).address : createSolanaWallet().address;
}

export function createSolanaWallet(secretKey = randomBytes(32).toString('hex')): SolanaWallet {
  return createLocalSolanaSigner(secretKey) as SolanaWallet;
}

const rank: Record<Finality, number> = { seen: 0, confirmed: 1, final: 2 };

/** Waits until the transaction is that far, or has failed in a block. */
export async function untilLanded(chain: Chain, reference: string, until: PaidUntil): Promise<void> {
  if (until === 'sent') return;
  for (let look = 0; look < 600; look++) {
    const reading = await chain.readReceipt(reference);
    if (reading.state === 'failed') return;
    if (reading.state === 'landed' && rank[reading.receipt.finality] >= rank[until]) return;
    await pause(25);
  }
  throw new Error(`${reference} did not become ${until} on ${chain.network}`);
}

function openEvmPayer(market: PayableMarket, chain: Chain, secretKey: string = generatePrivateKey()): EvmPayer {
  const { wallet, reader } = connectEvm(rpcUrl(market, chain.network), Number(chain.caip2.split(':')[1]), secretKey as Hex);
  return {
    kind: 'evm',
    chain,
    wallet,
    reader,
    address: wallet.account.address,
    async pay(to, micros, until = 'final', note = '') {
      const call = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, micros] });
      const data: Hex = `${call}${Buffer.from(note).toString('hex')}`;
      const reference = await wallet.sendTransaction({ to: chain.usdcAddress as Hex, data, gas: 200_000n });
      await untilLanded(chain, reference, until);
      return reference;
    },
  };
}

function connectEvm(url: string, chainId: number, secretKey: Hex) {
  const chain = { ...base, id: chainId };
  const account = privateKeyToAccount(secretKey);
  return {
    wallet: createWalletClient({ account, chain, transport: http(url, { retryCount: 0 }) }),
    reader: createPublicClient({ chain, transport: http(url, { retryCount: 0 }), pollingInterval: 20, cacheTime: 0 }),
  };
}

function openSolanaPayer(market: PayableMarket, chain: Chain, secretKey?: string): SolanaPayer {
  const rpc = createSolanaRpc(createJsonRpcClient({ network: chain.network, urls: [rpcUrl(market, chain.network)] }));
  const wallet = createSolanaWallet(secretKey);
  const mint = chain.usdcAddress as Address;
  async function send(instructions: readonly Instruction[], signers: readonly [SolanaWallet, ...SolanaWallet[]]): Promise<string> {
    const unsigned = composeTransaction(signers[0].address, await rpc.readLatestBlockhash(), instructions);
    const message = Uint8Array.from(unsigned.messageBytes);
    const signed = await Promise.all(signers.map(async (signer) => [signer.address, await signer.signMessage(message)] as const));
    const signatures = { ...unsigned.signatures, ...Object.fromEntries(signed) } as Transaction['signatures'];
    return await rpc.send(getBase64EncodedWireTransaction({ ...unsigned, signatures }));
  }
  return {
    kind: 'solana',
    chain,
    wallet,
    send,
    address: wallet.address,
    async pay(to, micros, until = 'final', note) {
      const payment = await solanaPayment(wallet.address, wallet.address, to as Address, mint, micros);
      const reference = await send(note === undefined ? payment : [...payment, writeMemo(note)], [wallet]);
      await untilLanded(chain, reference, until);
      return reference;
    },
  };
}

/** Opens the receiver's token account if it is missing, then pays. */
export async function solanaPayment(feePayer: Address, owner: Address, to: Address, mint: Address, micros: bigint): Promise<Instruction[]> {
  const [source, destination] = await Promise.all([deriveTokenAccount(owner, mint), deriveTokenAccount(to, mint)]);
  return [
    createTokenAccount({ payer: feePayer, tokenAccount: destination, owner: to, mint }),
    transferUsdc({ source, mint, destination, owner, micros }),
  ];
}

function requireChain({ chains }: PayableMarket, network: NetworkName): Chain {
  const chain = chains.get(network);
  if (chain === undefined) throw new Error(`this market has no ${network}`);
  return chain;
}

function requireLocal({ localChains }: PayableMarket): SandboxChains {
  if (localChains === undefined) throw new Error('this market runs without local chains');
  return localChains;
}

function rpcUrl(market: PayableMarket, network: NetworkName): string {
  const found = requireLocal(market).networks.find((description) => description.network === network);
  if (found === undefined) throw new Error(`the local chains do not serve ${network}`);
  return found.rpcUrl;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
