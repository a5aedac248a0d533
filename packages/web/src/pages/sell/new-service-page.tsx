import { useAction } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { asAgent, sitePaths } from '../../site-paths.ts';
import { useToast } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { SellConsole } from './sell-console.tsx';
import { emptyDraft } from './service-draft.ts';
import { ServiceEditor } from './service-editor.tsx';

function NewServicePage({ search }: PageProps) {
  return (
    <SellConsole search={search}>{({ agent }) => (agent === undefined ? null : <NewService key={agent.id} agent={agent} />)}</SellConsole>
  );
}

function NewService({ agent }: { readonly agent: OwnedAgent }) {
  const { navigate } = useNavigation();
  const toast = useToast();
  const create = useAction('services.create', {
    invalidates: ['services.listOfAgent', 'services.list', 'agents.get', 'agents.mine'],
    onDone: ({ data }) => {
      toast(data.moderation_status === 'ok' ? 'Saved.' : 'Saved, and hidden until somebody has looked at it.');
      void navigate(asAgent(sitePaths.editService(data.id), agent.slug), { replace: true });
    },
  });
  return (
    <ServiceEditor
      title="New service"
      agent={agent}
      first={{ ...emptyDraft, category: agent.capabilities[0] ?? emptyDraft.category }}
      isNew
      saved={create.isSuccess}
      busy={create.isPending}
      error={create.error}
      call={(body) => ({ name: 'services.create', args: { id: agent.slug, ...body } })}
      onSave={(body) => create.mutate({ id: agent.slug, ...body })}
    />
  );
}

export const page = definePage({ head: () => ({ title: 'New service', unlisted: true }), Component: NewServicePage });
