// Wallets of the demo: keys derived from one seed, so that an interrupted run can continue. They sign in and pay like any wallet.
import { createHmac, randomInt } from 'node:crypto';
import type { WalletSigner } from '@market/sdk';
import { privateKeyToAccount } from 'viem/accounts';
import { associatedTokenAddress } from '../solana/associated-token-address.ts';
import { encodeBase58 } from '../solana/base58.ts';
import { composeTransaction, type Instruction } from '../solana/compose-transaction.ts';
import { createKeypair, type Keypair } from '../solana/keypair.ts';
import { COMPUTE_BUDGET_PROGRAM, TOKEN_PROGRAM, USDC_DECIMALS, USDC_MINT } from '../solana/programs.ts';
import { askNode } from './json-rpc.ts';

export interface PaymentEndpoint {
  readonly rpcUrl: string;
  readonly usdcAddress: string;
  readonly chainId: number;
  readonly treasury: string;
}

export interface DemoWallet {
  readonly signer: WalletSigner;
  /** Sends USDC to the treasury; returns the reference without waiting. */
  pay(endpoint: PaymentEndpoint, micros: bigint): Promise<string>;
  /** References of all transfers of this wallet to the treasury, to find one that no order has used. */
  listSent(endpoint: PaymentEndpoint): Promise<readonly string[]>;
}

export function deriveWallet(seed: string, name: string, chain: 'solana' | 'base'): DemoWallet {
  return chain === 'base' ? openEvmWallet(deriveSecret(seed, name, chain)) : openSolanaWallet(deriveKeypair(seed, name));
}

/** The key pair of a Solana wallet, for transactions other than payments. */
export function deriveKeypair(seed: string, name: string): Keypair {
  return createKeypair(deriveSecret(seed, name, 'solana'));
}

function deriveSecret(seed: string, name: string, chain: 'solana' | 'base'): Buffer {
  return createHmac('sha256', seed).update(`${chain} ${name}`).digest();
}

/** Selector of `transfer(address,uint256)`, and topic of its event. */
const TRANSFER = '0xa9059cbb';
const TRANSFERRED = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const GAS = 120_000n;
const GWEI = 10n ** 9n;

function openEvmWallet(secret: Buffer): DemoWallet {
  const account = privateKeyToAccount(`0x${secret.toString('hex')}`);
  const toWord = (hex: string): string => hex.replace(/^0x/, '').toLowerCase().padStart(64, '0');
  return {
    signer: { address: account.address, chain: 'base', signMessage: (text) => account.signMessage({ message: text }) },
    async pay({ rpcUrl, usdcAddress, chainId, treasury }, micros) {
      const nonce = Number(await askNode<string>(rpcUrl, 'eth_getTransactionCount', [account.address, 'pending']));
      const signed = await account.signTransaction({
        chainId,
        nonce,
        to: usdcAddress as `0x${string}`,
        data: `${TRANSFER}${toWord(treasury)}${toWord(micros.toString(16))}`,
        gas: GAS,
        maxFeePerGas: 2n * GWEI,
        maxPriorityFeePerGas: GWEI,
      });
      return await askNode<string>(rpcUrl, 'eth_sendRawTransaction', [signed]);
    },
    async listSent({ rpcUrl, usdcAddress, treasury }) {
      const topics = [TRANSFERRED, `0x${toWord(account.address)}`, `0x${toWord(treasury)}`];
      const filter = { address: usdcAddress, topics, fromBlock: '0x0', toBlock: 'latest' };
      return (await askNode<{ transactionHash: string }[]>(rpcUrl, 'eth_getLogs', [filter])).map((log) => log.transactionHash);
    },
  };
}

const TRANSFER_CHECKED = 12;
const COMPUTE_UNITS = 100_000;

function openSolanaWallet(keypair: Keypair): DemoWallet {
  const source = associatedTokenAddress(keypair.address, USDC_MINT);
  return {
    signer: {
      address: keypair.address,
      chain: 'solana',
      signMessage: async (text) => encodeBase58(keypair.sign(new TextEncoder().encode(text))),
    },
    pay: ({ rpcUrl, treasury }, micros) => sendInstructions(rpcUrl, keypair, [transfer(keypair.address, source, treasury, micros)]),
    async listSent({ rpcUrl }) {
      const found = await askNode<{ signature: string; err: unknown }[]>(rpcUrl, 'getSignaturesForAddress', [source, { limit: 100 }]);
      return found.filter(({ err }) => err === null).map(({ signature }) => signature);
    },
  };
}

export async function sendInstructions(rpcUrl: string, keypair: Keypair, instructions: readonly Instruction[]): Promise<string> {
  const latest = [{ commitment: 'confirmed' }];
  const { value } = await askNode<{ value: { blockhash: string } }>(rpcUrl, 'getLatestBlockhash', latest);
  // Two equal payments within one block would be the same transaction.
  const limited = [setComputeLimit(COMPUTE_UNITS + randomInt(100_000)), ...instructions];
  const bytes = Buffer.from(composeTransaction(keypair, value.blockhash, limited)).toString('base64');
  return await askNode<string>(rpcUrl, 'sendTransaction', [bytes, { encoding: 'base64', preflightCommitment: 'confirmed' }]);
}

function transfer(owner: string, source: string, receiver: string, micros: bigint): Instruction {
  const data = Buffer.alloc(10);
  data.writeUInt8(TRANSFER_CHECKED, 0);
  data.writeBigUInt64LE(micros, 1);
  data.writeUInt8(USDC_DECIMALS, 9);
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: source, isWritable: true },
      { address: USDC_MINT, isWritable: false },
      { address: associatedTokenAddress(receiver, USDC_MINT), isWritable: true },
      { address: owner, isWritable: false },
    ],
    data,
  };
}

function setComputeLimit(units: number): Instruction {
  const data = Buffer.alloc(5);
  data.writeUInt8(2, 0);
  data.writeUInt32LE(units, 1);
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
}
