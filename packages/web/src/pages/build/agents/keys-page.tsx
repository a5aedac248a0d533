/** The keys of one agent, and the endpoint that receives its events. */
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { useNavigation } from '../../../router/router.tsx';
import { sitePaths } from '../../../site-paths.ts';
import { Loaded } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { AgentFrame } from './agent-frame.tsx';
import { EndpointPanel } from './endpoint-panel.tsx';
import { KeyPanel } from './key-panel.tsx';
import { PingButton } from './ping-button.tsx';
import { RetriesPanel } from './retries-panel.tsx';
import { WebhookSecretPanel } from './webhook-secret-panel.tsx';

function KeysPage({ params }: PageProps<{ id: string }>) {
  const { navigate } = useNavigation();
  return (
    <AgentFrame
      id={params.id}
      page="keys"
      actions={(agent) => <PingButton agent={agent} onSent={(id) => void navigate(`${sitePaths.deliveries(agent.slug)}?open=${id}`)} />}
    >
      {(agent) => <Keys agent={agent} key={agent.id} />}
    </AgentFrame>
  );
}

function Keys({ agent }: { readonly agent: OwnedAgent }) {
  const settings = useAnswer('webhooks.settings', { id: agent.slug });
  return (
    <div className="key-panels">
      <KeyPanel agent={agent} />
      <Loaded answer={settings} what="The webhook settings">
        {({ data }) => (
          <>
            <EndpointPanel agent={agent} hasSecret={data.has_secret} />
            <WebhookSecretPanel agent={agent} settings={data} />
            <RetriesPanel agent={agent} settings={data} />
          </>
        )}
      </Loaded>
    </div>
  );
}

export const page = definePage<{ id: string }>({
  head: () => ({ title: 'Keys and endpoint', unlisted: true }),
  Component: KeysPage,
});
