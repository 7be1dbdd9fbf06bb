// The client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"generated/api"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx, agent := context.Background(), os.Getenv("AGENT")
	signed := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	})
	client := must(api.NewClientWithResponses(os.Getenv("BASE"), signed))
	limit, label := 5, "generated"
	var list, search, summary, links []string
	for _, one := range *must(client.AgentsListWithResponse(ctx, &api.AgentsListParams{Limit: &limit})).JSON200 {
		list = append(list, one.Name)
	}
	for _, one := range *must(client.AgentsSearchWithResponse(ctx, &api.AgentsSearchParams{Q: &agent})).JSON200 {
		search = append(search, one.Name)
	}
	for _, one := range *must(client.AgentsMineSummaryWithResponse(ctx)).JSON200 {
		summary = append(summary, one.Name)
	}
	shown := must(client.AgentsSetVisibilityWithResponse(ctx, agent, api.AgentVisibilityIn{Visibility: api.VisibilityPublic}))
	made := must(client.AgentsCreateIntegrationLinkWithResponse(ctx, agent, api.AgentIntegrationLinkCreateIn{Label: &label}))
	for _, one := range *must(client.AgentsIntegrationLinksWithResponse(ctx, agent)).JSON200 {
		links = append(links, one.Label)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"me":         must(client.AuthMeWithResponse(ctx)).JSON200.Email,
		"list":       list,
		"search":     search,
		"summary":    summary,
		"visibility": shown.JSON200.Visibility,
		"made":       made.JSON201.Label,
		"links":      links,
		"revoked":    must(client.AgentsRevokeIntegrationLinkWithResponse(ctx, agent, made.JSON201.LinkId)).StatusCode(),
		"files":      len(must(client.FilesListWithResponse(ctx, &api.FilesListParams{Limit: &limit})).JSON200.Items),
		"credits":    must(client.CreditsWalletWithResponse(ctx, &api.CreditsWalletParams{})).JSON200.AvailableMicros,
		"missing":    must(client.AgentsIntegrationLinksWithResponse(ctx, "nobody")).JSON404.Detail.Code,
	})
}
