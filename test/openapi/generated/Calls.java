// The client that openapi-generator makes for Java.
import com.google.gson.JsonParser;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.AgentsApi;
import org.openapitools.client.api.AuthApi;
import org.openapitools.client.api.CreditsApi;
import org.openapitools.client.api.FilesApi;
import org.openapitools.client.model.AgentIntegrationLinkCreateIn;
import org.openapitools.client.model.AgentVisibilityIn;
import org.openapitools.client.model.Visibility;

public class Calls {
  public static void main(String[] args) throws Exception {
    String agent = System.getenv("AGENT");
    ApiClient api = new ApiClient().setBasePath(System.getenv("BASE")).addDefaultHeader("authorization", "Bearer " + System.getenv("TOKEN"));
    AgentsApi agents = new AgentsApi(api);
    Map<String, Object> said = new LinkedHashMap<>();
    said.put("me", new AuthApi(api).authMe().getEmail());
    said.put("list", agents.agentsList(5, null).stream().map(one -> one.getName()).toList());
    said.put("search", agents.agentsSearch(agent, null, null, null).stream().map(one -> one.getName()).toList());
    said.put("summary", agents.agentsMineSummary().stream().map(one -> one.getName()).toList());
    said.put("visibility", agents.agentsSetVisibility(agent, new AgentVisibilityIn().visibility(Visibility.PUBLIC)).getVisibility().getValue());
    var made = agents.agentsCreateIntegrationLink(agent, new AgentIntegrationLinkCreateIn().label("generated"));
    said.put("made", made.getLabel());
    said.put("links", agents.agentsIntegrationLinks(agent).stream().map(one -> one.getLabel()).toList());
    said.put("revoked", agents.agentsRevokeIntegrationLinkWithHttpInfo(agent, made.getLinkId()).getStatusCode());
    said.put("files", new FilesApi(api).filesList(5, null, null, null).getItems().size());
    said.put("credits", new CreditsApi(api).creditsWallet(null, null).getAvailableMicros());
    try {
      agents.agentsIntegrationLinks("nobody");
    } catch (ApiException error) {
      var detail = JsonParser.parseString(error.getResponseBody()).getAsJsonObject().getAsJsonObject("detail");
      said.put("missing", detail.get("code").getAsString());
    }
    System.out.println(JSON.getGson().toJson(said));
  }
}
