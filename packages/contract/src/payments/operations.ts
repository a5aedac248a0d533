import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { networkName } from '../kernel/networks.ts';
import { furtherRateLimits } from '../kernel/rate-limits.ts';
import { walletAddress } from '../kernel/wallets.ts';
import { usdAmount, usdInput } from '../kernel/wire.ts';

const anyone = { accepts: ['anonymous', 'api_key', 'idp', 'wallet', 'order_token'] } as const;

const kind = z.enum(['solana', 'evm']);
const units = z.string().regex(/^\d+$/);
const hex = z.string().regex(/^0x[0-9a-f]*$/);

const payableNetwork = z
  .object({
    network: networkName,
    kind,
    caip2: z.string().describe('CAIP-2 id of the chain'),
    chain_id: z.int().nullable().describe('EVM networks only'),
    pay_to: z.string().describe('The marketplace’s wallet'),
    usdc_address: z.string(),
    native_symbol: z.string().describe('The coin that pays network fees'),
    native_decimals: z.int(),
    confirmations: z.int().describe('Blocks before a payment counts, its own included'),
    final_from_usd: usdAmount.describe('Payments of this amount or more must be final, which takes longer'),
    explorer_url: z.string().nullable().describe('Append a transaction reference; null where the network has no public explorer'),
  })
  .meta({ id: 'PayableNetwork' });

const unsignedTransaction = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('evm'),
      chain_id: z.int(),
      from: z.string(),
      to: z.string().describe('The USDC contract'),
      data: hex.describe('`transfer(pay_to, amount)`'),
      value: z.literal('0x0'),
      gas: hex,
      max_fee_per_gas: hex,
      max_priority_fee_per_gas: hex,
      nonce: z.int(),
    }),
    z.object({
      kind: z.literal('solana'),
      transaction: z.base64().describe('Version 0, unsigned; the wallet pays the fee'),
      last_valid_block_height: units,
    }),
  ])
  .meta({ id: 'UnsignedTransaction' });

const preparedPayment = z
  .object({
    network: networkName,
    payer: z.string(),
    pay_to: z.string(),
    usdc_address: z.string(),
    amount_usd: usdAmount,
    amount_micros: units,
    usdc_balance: usdAmount,
    native_balance: units.describe('In the smallest unit: wei, lamports'),
    fee_native: units.describe('Estimated network fee'),
    missing_usd: usdAmount.describe('0.00 when there is enough'),
    missing_native: units.describe('0 when there is enough, at the highest fee the transaction offers'),
    transaction: unsignedTransaction,
  })
  .meta({ id: 'PreparedPayment' });

const exampleHash = '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036';
const exampleWallet = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const exampleTreasury = '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF';
const exampleUsdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** Help for wallets to prepare, broadcast and follow a payment, without an account. */
export const paymentOperations = {
  networks: defineOperation({
    summary: 'List payment networks',
    output: { data: z.array(payableNetwork) },
    power: 'public',
    access: anyone,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/payments/networks' },
    examples: [
      {
        title: 'Base',
        data: [
          {
            network: 'base-mainnet',
            kind: 'evm',
            caip2: 'eip155:8453',
            chain_id: 8453,
            pay_to: exampleTreasury,
            usdc_address: exampleUsdc,
            native_symbol: 'ETH',
            native_decimals: 18,
            confirmations: 3,
            final_from_usd: '1000.00',
            explorer_url: 'https://basescan.org/tx/',
          },
        ],
      },
    ],
  }),

  prepare: defineOperation({
    summary: 'Prepare a payment for a wallet to sign',
    description:
      'Returns the wallet’s balances, the network fee, missing amounts, and an unsigned transfer of USDC to the marketplace. Nothing is reserved or sent. Check receiver, token and amount against the order before signing.',
    input: {
      query: z.object({
        network: networkName,
        payer: walletAddress.describe('The wallet that will pay'),
        amount_usd: usdInput('amount_usd', { above: 0n }),
        reference: z
          .string()
          .regex(/^mp1-[0-9a-z]{6,8}-[A-Za-z0-9_-]{24}$/, 'reference must be a text that an order or a 402 gave.')
          .optional()
          .describe('The text that an order or a 402 gave. The transfer carries it, so it pays for that purchase from any wallet'),
      }),
    },
    output: { data: preparedPayment },
    errors: ['network_not_available', 'chain_unavailable'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.preparePayment,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/payments/prepare' },
    examples: [
      {
        title: '25 USDC on Base',
        input: { network: 'base-mainnet', payer: exampleWallet, amount_usd: '25.00' },
        data: {
          network: 'base-mainnet',
          payer: exampleWallet,
          pay_to: exampleTreasury,
          usdc_address: exampleUsdc,
          amount_usd: '25.00',
          amount_micros: '25000000',
          usdc_balance: '412.80',
          native_balance: '10000000000000000',
          fee_native: '650000000000',
          missing_usd: '0.00',
          missing_native: '0',
          transaction: {
            kind: 'evm',
            chain_id: 8453,
            from: exampleWallet,
            to: exampleUsdc,
            data: '0xa9059cbb0000000000000000000000002b5ad5c4795c026514f8317c7a215e218dccd6cf00000000000000000000000000000000000000000000000000000000017d7840',
            value: '0x0',
            gas: '0x11170',
            max_fee_per_gas: '0xf4240',
            max_priority_fee_per_gas: '0x186a0',
            nonce: 7,
          },
        },
      },
    ],
  }),

  handIn: defineOperation({
    summary: 'Broadcast a signed payment',
    description:
      'Broadcasts a transaction that a wallet has signed. Only transfers of USDC to the marketplace are accepted. Sending the same bytes again changes nothing.',
    input: {
      body: z.object({
        network: networkName,
        signed_transaction: z.string().min(1).max(4000).describe('EVM: 0x and hex digits. Solana: base64'),
      }),
    },
    output: { data: z.object({ network: networkName, reference: z.string().describe('Transaction hash or signature') }) },
    errors: ['network_not_available', 'chain_unavailable', 'payment_not_passed_on'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.handInPayment,
    effects: { kind: 'write', idempotent: true },
    rest: { method: 'POST', path: '/api/payments/hand-in' },
    examples: [
      {
        title: 'A signed transfer on Base',
        input: { network: 'base-mainnet', signed_transaction: '0x02f8b1…' },
        data: { network: 'base-mainnet', reference: exampleHash },
      },
    ],
  }),

  progress: defineOperation({
    summary: 'Follow a payment on its chain',
    description:
      'The state of one transaction on its chain. This does not check what the payment is for; submit the reference to that operation.',
    input: { path: z.object({ network: networkName, reference: z.string().min(1).max(200) }) },
    output: {
      data: z.object({
        network: networkName,
        reference: z.string(),
        state: z
          .enum(['missing', 'failed', 'landed'])
          .describe('`missing`: no node shows the transaction. `failed`: it is in a block and moved nothing'),
        confirmations: z.int(),
        confirmations_required: z.int(),
        final: z.boolean(),
        received_usd: usdAmount.describe('USDC that the marketplace received'),
        explorer_url: z.string().nullable(),
      }),
    },
    errors: ['network_not_available', 'invalid_payment_reference', 'chain_unavailable'],
    power: 'public',
    access: anyone,
    limit: furtherRateLimits.followPayment,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/payments/{network}/{reference}' },
    examples: [
      {
        title: 'One block deep',
        input: { network: 'base-mainnet', reference: exampleHash },
        data: {
          network: 'base-mainnet',
          reference: exampleHash,
          state: 'landed',
          confirmations: 1,
          confirmations_required: 3,
          final: false,
          received_usd: '25.00',
          explorer_url: `https://basescan.org/tx/${exampleHash}`,
        },
      },
    ],
  }),
};
