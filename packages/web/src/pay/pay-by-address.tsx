/** Payment without a wallet in this browser: address, exact amount, a QR code for phones, and the reference afterwards. */
import { CopyButton, formatAmount, shorten } from '../ui/index.ts';
import type { PayableNetwork } from '../wallets/wallet-session.ts';
import { networkWords } from '../words.ts';
import type { PayDriver, PayTerms } from './pay-driver.ts';
import { GiveReference } from './pay-troubles.tsx';
import { paymentLink } from './payment-link.ts';
import { QrCode } from './qr-code.tsx';

export interface PayByAddressProps {
  readonly driver: PayDriver;
  readonly terms: PayTerms;
  readonly network: PayableNetwork | undefined;
  readonly payers: readonly string[] | undefined;
}

export function PayByAddress({ driver, terms, network, payers = [] }: PayByAddressProps) {
  const fitting = payers.filter((address) => address.startsWith('0x') === (network?.kind === 'evm'));
  return (
    <div className="by-address">
      <p className="note">
        {fitting.length === 0 ? (
          <>
            <b>No {networkWords[terms.network]} wallet is linked to you yet.</b> A transfer counts only from a wallet that is yours here.
            Link it on the wallet page first.
          </>
        ) : (
          <>
            Send from {fitting.map(shorten).join(' or ')}: a transfer counts only from a wallet that is yours here. Exchanges send from
            their own.
          </>
        )}
      </p>
      {network === undefined ? null : <QrCode text={paymentLink(terms, network)} label={`Payment of ${terms.amount_usd} USDC as a code`} />}
      <dl>
        <dt>Send exactly</dt>
        <dd className="mono">
          {formatAmount(terms.amount_usd)} USDC <CopyButton text={terms.amount_usd} what="amount" />
        </dd>
        <dt>On</dt>
        <dd>{networkWords[terms.network]}, and on no other network</dd>
        <dt>To</dt>
        <dd className="mono">
          {terms.pay_to} <CopyButton text={terms.pay_to} what="receiver" />
        </dd>
        <dt>Token</dt>
        <dd className="mono">
          {terms.usdc_address} <CopyButton text={terms.usdc_address} what="token address" />
        </dd>
      </dl>
      <GiveReference driver={driver} terms={terms} />
    </div>
  );
}
