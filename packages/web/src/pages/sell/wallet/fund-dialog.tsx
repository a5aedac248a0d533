/** Funding by address, by QR code, and in the sandbox by faucet. */
import { useQueryClient } from '@tanstack/react-query';
import { invalidate } from '../../../data/answers.ts';
import { useFacts } from '../../../data/site-facts.ts';
import { QrCode } from '../../../pay/qr-code.tsx';
import { FaucetButton } from '../../../pay/short-of-funds.tsx';
import { CopyButton, Dialog } from '../../../ui/index.ts';
import { networkWords } from '../../../words.ts';
import type { WalletBalance } from './wallet-words.ts';

export function FundDialog({ balance, onClose }: { readonly balance: WalletBalance; readonly onClose: () => void }) {
  const { profile } = useFacts();
  const queries = useQueryClient();
  const { network, address, coin } = balance;
  return (
    <Dialog open onClose={onClose} title={`Fund on ${networkWords[network]}`}>
      <div className="stack">
        <p>
          Send USDC or {coin} on {networkWords[network]} to this address. Anything sent on another network may be lost.
        </p>
        <div className="agent-wallet-code">
          <QrCode text={address} label={`QR code of ${address}`} />
        </div>
        <p className="mono agent-wallet-address">{address}</p>
        <div className="actions">
          <CopyButton text={address} what="address" />
          {profile === 'sandbox' ? (
            <FaucetButton
              address={address}
              terms={{ network, amount_usd: '0' }}
              onFilled={() => void invalidate(queries, ['wallets.funding'])}
            />
          ) : null}
        </div>
      </div>
    </Dialog>
  );
}
