/** Help for wallets that pay: prepare, broadcast and follow a payment. Only asks chains and stores nothing. */
import { formatUsd, MarketError, type NetworkName, networkFacts, parseUsd } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { type Chain, ChainUnavailable, TransferRefused } from '../../platform/chains/chain.ts';
import type { PaymentsContext } from './payments-context.ts';

export type PayersContext = Pick<PaymentsContext, 'chains' | 'finalFromMicros'> & {
  readonly explorerUrl: (network: NetworkName, reference: string) => string | null;
};

export function paymentHandlers({ chains, finalFromMicros, explorerUrl }: PayersContext): HandlersOf<'payments'> {
  return {
    async networks() {
      const data = [...chains.values()].map((chain) => ({
        network: chain.network,
        kind: chain.kind,
        caip2: chain.caip2,
        chain_id: chain.kind === 'evm' ? Number(chain.caip2.split(':')[1]) : null,
        pay_to: chain.treasury,
        usdc_address: chain.usdcAddress,
        ...presentCoin(chain.network),
        confirmations: chain.confirmations,
        final_from_usd: formatUsd(finalFromMicros),
        explorer_url: explorerUrl(chain.network, ''),
      }));
      return { data };
    },

    async prepare({ network, payer: text, amount_usd: amount, reference }) {
      const chain = requireChain(chains, network);
      const payer = chain.canonicalAddress(text);
      if (payer === undefined) throw new MarketError('invalid_input', { message: `payer must be an address on ${network}.` });
      const micros = parseUsd(amount) ?? 0n;
      const prepared = await askChain(() => chain.preparePayment(payer, micros, reference));
      const data = {
        network,
        payer,
        pay_to: chain.treasury,
        usdc_address: chain.usdcAddress,
        amount_usd: formatUsd(micros),
        amount_micros: String(micros),
        usdc_balance: formatUsd(prepared.usdcMicros),
        native_balance: String(prepared.native),
        fee_native: String(prepared.fee),
        missing_usd: formatUsd(missing(prepared.usdcMicros, micros)),
        missing_native: String(missing(prepared.native, prepared.highestFee)),
        transaction: presentTransaction(prepared.transaction),
      };
      return { data };
    },

    async handIn({ network, signed_transaction: signed }) {
      const chain = requireChain(chains, network);
      return { data: { network, reference: await askChain(() => chain.broadcastForeign(signed)) } };
    },

    async progress({ network, reference: text }) {
      const chain = requireChain(chains, network);
      const reference = chain.canonicalReference(text);
      if (reference === undefined) throw new MarketError('invalid_payment_reference');
      const reading = await askChain(() => chain.readReceipt(reference));
      const landed = reading.state === 'landed' ? reading.receipt : undefined;
      const isFinal = landed?.finality === 'final';
      const counted = landed === undefined ? 0 : await askChain(() => chain.countConfirmations(landed));
      const data = {
        network,
        reference,
        state: reading.state,
        confirmations: isFinal ? chain.confirmations : counted,
        confirmations_required: chain.confirmations,
        final: isFinal,
        received_usd: formatUsd(landed === undefined || landed.receivedMicros < 0n ? 0n : landed.receivedMicros),
        explorer_url: explorerUrl(network, reference),
      };
      return { data };
    },
  };
}

function presentCoin(network: NetworkName) {
  const { symbol, decimals } = networkFacts[network].coin;
  return { native_symbol: symbol, native_decimals: decimals };
}

type Prepared = Awaited<ReturnType<Chain['preparePayment']>>;

function presentTransaction(transaction: Prepared['transaction']) {
  if (transaction.kind === 'solana') {
    const { transaction: bytes, lastValidBlockHeight } = transaction;
    return { kind: 'solana' as const, transaction: bytes, last_valid_block_height: String(lastValidBlockHeight) };
  }
  const { chainId, from, to, data, gas, maxFeePerGas, maxPriorityFeePerGas, nonce } = transaction;
  return {
    kind: 'evm' as const,
    chain_id: chainId,
    from,
    to,
    data,
    value: '0x0' as const,
    gas,
    max_fee_per_gas: maxFeePerGas,
    max_priority_fee_per_gas: maxPriorityFeePerGas,
    nonce,
  };
}

function missing(held: bigint, needed: bigint): bigint {
  return held >= needed ? 0n : needed - held;
}

function requireChain(chains: PayersContext['chains'], network: NetworkName): Chain {
  const chain = chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  return chain;
}

async function askChain<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('chain_unavailable', { retryAfterSeconds: 5, cause: error });
    if (error instanceof TransferRefused) throw new MarketError('payment_not_passed_on', { cause: error });
    throw error;
  }
}
