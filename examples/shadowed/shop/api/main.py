print("the api")
