package explore

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func get(t *testing.T, h http.Handler, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestScenesAreListed(t *testing.T) {
	w := get(t, Site{Given: []byte("name: mine\n"), Version: "v9"}.Handler(), "GET", "/scenes.json")
	var list struct {
		Given   bool
		Version string
		Scenes  []struct{ ID string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	if !list.Given || list.Version != "v9" || len(list.Scenes) == 0 || list.Scenes[0].ID != "herd" {
		t.Errorf("%+v", list)
	}
}
