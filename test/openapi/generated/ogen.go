// The client that ogen makes.
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	"generated/api"
)

type signedIn struct{}

func (signedIn) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{Token: os.Getenv("TOKEN")}, nil
}

func (signedIn) AgentApiToken(context.Context, api.OperationName) (api.AgentApiToken, error) {
	return api.AgentApiToken{}, ogenerrors.ErrSkipClientSecurity
}

func (signedIn) AgentApiTokenHeader(context.Context, api.OperationName) (api.AgentApiTokenHeader, error) {
	return api.AgentApiTokenHeader{}, ogenerrors.ErrSkipClientSecurity
}

func (signedIn) Platform(context.Context, api.OperationName) (api.Platform, error) {
	return api.Platform{}, ogenerrors.ErrSkipClientSecurity
}

func (signedIn) Scim(context.Context, api.OperationName) (api.Scim, error) {
	return api.Scim{}, ogenerrors.ErrSkipClientSecurity
}

func (signedIn) SourceToken(context.Context, api.OperationName) (api.SourceToken, error) {
	return api.SourceToken{}, ogenerrors.ErrSkipClientSecurity
}

func (signedIn) Session(context.Context, api.OperationName) (api.Session, error) {
	return api.Session{}, ogenerrors.ErrSkipClientSecurity
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx, agent := context.Background(), os.Getenv("AGENT")
	client := must(api.NewClient(os.Getenv("BASE"), signedIn{}))
	list, search, summary, links := []string{}, []string{}, []string{}, []string{}
	for _, one := range must(client.AgentsList(ctx, api.AgentsListParams{Limit: api.NewOptInt(5)})).(*api.AgentsListOKHeaders).Response {
		list = append(list, one.Name)
	}
	for _, one := range *must(client.AgentsSearch(ctx, api.AgentsSearchParams{Q: api.NewOptString(agent)})).(*api.AgentsSearchOKApplicationJSON) {
		search = append(search, one.Name)
	}
	for _, one := range *must(client.AgentsMineSummary(ctx)).(*api.AgentsMineSummaryOKApplicationJSON) {
		summary = append(summary, one.Name)
	}
	public := &api.AgentVisibilityIn{Visibility: api.VisibilityPublic}
	shown := must(client.AgentsSetVisibility(ctx, public, api.AgentsSetVisibilityParams{Name: agent})).(*api.AgentMineOut)
	link := api.NewOptNilAgentIntegrationLinkCreateIn(api.AgentIntegrationLinkCreateIn{Label: api.NewOptString("generated")})
	made := must(client.AgentsCreateIntegrationLink(ctx, link, api.AgentsCreateIntegrationLinkParams{Name: agent})).(*api.AgentIntegrationLinkCreatedOut)
	for _, one := range *must(client.AgentsIntegrationLinks(ctx, api.AgentsIntegrationLinksParams{Name: agent})).(*api.AgentsIntegrationLinksOKApplicationJSON) {
		links = append(links, one.Label)
	}
	revoked := 0
	ended := must(client.AgentsRevokeIntegrationLink(ctx, api.AgentsRevokeIntegrationLinkParams{Name: agent, LinkID: made.LinkID}))
	if _, ok := ended.(*api.AgentsRevokeIntegrationLinkNoContent); ok {
		revoked = 204
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"me":         must(client.AuthMe(ctx)).(*api.MeOut).Email,
		"list":       list,
		"search":     search,
		"summary":    summary,
		"visibility": shown.Visibility,
		"made":       made.Label,
		"links":      links,
		"revoked":    revoked,
		"files":      len(must(client.FilesList(ctx, api.FilesListParams{Limit: api.NewOptInt(5)})).(*api.FileListOut).Items),
		"credits":    must(client.CreditsWallet(ctx, api.CreditsWalletParams{})).(*api.WalletOut).AvailableMicros,
		"missing":    must(client.AgentsIntegrationLinks(ctx, api.AgentsIntegrationLinksParams{Name: "nobody"})).(*api.AgentsIntegrationLinksNotFound).Detail.Code,
	})
}
