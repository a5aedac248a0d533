import { useAction, useAnswer } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { asAgent, sitePaths } from '../../site-paths.ts';
import { Button, Light, Loaded, NoPermission, useToast } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { listingOf } from './agent-standing.ts';
import { OfferSwitch } from './offer-switch.tsx';
import { SellConsole } from './sell-console.tsx';
import { bodyOf, changesOf, draftOf, type OwnService } from './service-draft.ts';
import { ServiceEditor } from './service-editor.tsx';

function EditServicePage({ search, params }: PageProps<{ id: string }>) {
  const answer = useAnswer('services.get', { id: params.id });
  return (
    <SellConsole search={ofOwner(search, answer.data?.data)}>
      {({ agents }) => (
        <Loaded answer={answer} what="The service">
          {({ data }) => {
            const agent = agents.find(({ id }) => id === data.agent_id);
            if (agent === undefined) return <NoPermission>This service belongs to somebody else’s agent.</NoPermission>;
            return <EditService service={data} agent={agent} />;
          }}
        </Loaded>
      )}
    </SellConsole>
  );
}

/** The console shows the agent that owns the service, whatever the URL says. */
function ofOwner(search: URLSearchParams, service: OwnService | undefined): URLSearchParams {
  return service === undefined ? search : new URLSearchParams({ agent: service.agent_slug });
}

function EditService({ service, agent }: { readonly service: OwnService; readonly agent: OwnedAgent }) {
  const toast = useToast();
  const update = useAction('services.update', {
    invalidates: ['services.get', 'services.listOfAgent', 'services.list', 'services.bySlug', 'agents.get'],
    onDone: () => toast('Saved. Orders that exist keep their terms.'),
  });
  const first = draftOf(service);
  const { light, words } = listingOf(service, agent);
  return (
    <ServiceEditor
      // Restart the form from the saved values.
      key={JSON.stringify(first)}
      title={service.title}
      agent={agent}
      first={first}
      saved={false}
      busy={update.isPending}
      error={update.error}
      aside={
        <>
          <Light state={light}>{words}</Light>
          <span className="actions">
            {light === 'alive' ? (
              <Button size="small" href={sitePaths.service(service.agent_slug, service.slug)}>
                See its page
              </Button>
            ) : null}
            <OfferSwitch service={service} small />
          </span>
        </>
      }
      call={(body) => ({ name: 'services.update', args: { id: service.id, ...changesOf(bodyOf(first), body) } })}
      onSave={(body) => update.mutate({ id: service.id, ...changesOf(bodyOf(first), body) })}
      back={asAgent(sitePaths.sellServices, agent.slug)}
    />
  );
}

export const page = definePage<{ id: string }>({
  head: ({ known, params }) => ({ title: known('services.get', { id: params.id })?.data.title ?? 'Service', unlisted: true }),
  Component: EditServicePage,
});
