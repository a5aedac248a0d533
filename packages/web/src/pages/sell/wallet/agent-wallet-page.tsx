/** The agent's server wallets: balances, funding, outgoing money, and the log of all of it. */
import './agent-wallet.css';
import { useState } from 'react';
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { Button, Loaded } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { WaitingMoves } from '../../shared/waiting-moves.tsx';
import { SellConsole } from '../sell-console.tsx';
import { BalancesTable } from './balances-table.tsx';
import { ExportPanel } from './export-panel.tsx';
import { FundDialog } from './fund-dialog.tsx';
import { PayersPanel } from './payers-panel.tsx';
import { SendDialog } from './send-dialog.tsx';
import { WalletLog } from './wallet-log.tsx';
import type { Funding, WalletBalance } from './wallet-words.ts';
import { WithdrawPanel } from './withdraw-panel.tsx';

function AgentWalletPage({ search }: PageProps) {
  return (
    <SellConsole search={search}>
      {({ agent, agents }) => (agent === undefined ? null : <Wallet key={agent.id} agent={agent} agents={agents} />)}
    </SellConsole>
  );
}

/** Polls, because deposits cause no event. */
const LOOK_AGAIN_MS = 10_000;

/** Also lists moves of agents outside the list: a linked wallet may cancel moves of its account's agents. */
function Wallet({ agent, agents }: { readonly agent: OwnedAgent; readonly agents: readonly OwnedAgent[] }) {
  const funding = useAnswer('wallets.funding', { id: agent.slug }, { everyMs: LOOK_AGAIN_MS });
  return (
    <Loaded answer={funding} what="The wallet">
      {({ data }) => (
        <>
          <WaitingMoves
            of={({ agent_id: of }) => of !== null && (of === agent.id || !agents.some(({ id }) => id === of))}
            invalidates={['wallets.funding', 'agents.mine']}
          />
          <Parts agent={agent} funding={data} />
          <WalletLog agent={agent} />
        </>
      )}
    </Loaded>
  );
}

function Parts({ agent, funding }: { readonly agent: OwnedAgent; readonly funding: Funding }) {
  const [funded, setFunded] = useState<WalletBalance>();
  const [sending, setSending] = useState<WalletBalance>();
  return (
    <>
      <section aria-labelledby="balances">
        <div className="heading">
          <h2 id="balances">Wallet</h2>
          <Button
            size="small"
            kind="ink"
            disabledReason={funding.balances.length === 0 ? 'No network is served.' : undefined}
            onClick={() => setSending(funding.balances[0])}
          >
            Send
          </Button>
        </div>
        <BalancesTable balances={funding.balances} onFund={setFunded} onSend={setSending} />
        <p className="note agent-wallet-note">
          Payouts land here until you name another address. USDC leaves without any coins in the wallet: the market pays the network’s fee.
        </p>
      </section>
      <div className="two-columns">
        <WithdrawPanel agent={agent} withdraw={funding.withdraw} limits={funding.limits} />
        <ExportPanel agent={agent} balances={funding.balances} />
      </div>
      <PayersPanel agent={agent} />
      {funded === undefined ? null : <FundDialog balance={funded} onClose={() => setFunded(undefined)} />}
      {sending === undefined ? null : (
        <SendDialog agent={agent} balances={funding.balances} first={sending} onClose={() => setSending(undefined)} />
      )}
    </>
  );
}

export const page = definePage({ head: () => ({ title: 'Agent wallet', unlisted: true }), Component: AgentWalletPage });
